# What a program does to files, time and streams. Env BASE: a folder that it makes and removes.
folder = ENV.fetch("BASE")
Dir.mkdir(folder)
File.write("#{folder}/a.txt", "héllo\nworld\n")
puts File.read("#{folder}/a.txt"), File.size("#{folder}/a.txt")
File.open("#{folder}/a.txt", "a") { |file| file.puts "more" }
puts File.readlines("#{folder}/a.txt").length
[-> { File.open("#{folder}/no") }, -> { Dir.mkdir(folder) }, -> { Dir.rmdir(folder) }].each do |act|
  act.call
rescue SystemCallError => error
  puts error.class
end
File.symlink("a.txt", "#{folder}/link")
puts File.readlink("#{folder}/link"), File.symlink?("#{folder}/link")
File.rename("#{folder}/a.txt", "#{folder}/b.txt")
p Dir.children(folder).sort
puts File.stat("#{folder}/b.txt").file?, (Time.now - File.mtime("#{folder}/b.txt")).abs < 60
start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
sleep 0.1
puts (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).between?(0.1, 1)
p STDIN.gets, STDIN.read, STDOUT.tty?
File.open("#{folder}/b.txt", "r+b") do |file|
  file.seek(-5, IO::SEEK_END)
  p file.read
  file.truncate(3)
end
p File.binread("#{folder}/b.txt").bytes
Dir.children(folder).each { |name| File.unlink("#{folder}/#{name}") }
Dir.rmdir(folder)
p File.exist?(folder)
$stderr.puts "on stderr"
exit 4
