<?php
// What a program does to files, time and streams. Env BASE: a folder that it makes and removes.
function attempt(string $what, callable $act): void {
    error_clear_last();
    $result = @$act();
    $message = error_get_last()["message"] ?? "";
    $reason = $result === false ? preg_replace('/^.*: /', "", $message) : "ok";
    echo "$what: $reason\n";
}

$base = getenv("BASE");
mkdir($base);
echo file_put_contents("$base/a.txt", "héllo\nwörld\n"), "\n";
echo file_put_contents("$base/a.txt", "more\n", FILE_APPEND), "\n";
echo file_get_contents("$base/a.txt"), filesize("$base/a.txt"), "\n";
$file = fopen("$base/a.txt", "r+b");
fseek($file, -5, SEEK_END);
echo fread($file, 100), feof($file) ? "end" : "more", "\n";
rewind($file);
fwrite($file, "H");
echo ftell($file), ftruncate($file, 6) ? " cut\n" : " whole\n";
echo json_encode(stream_get_contents($file)), fstat($file)["size"], "\n";
fclose($file);
$file = new SplFileObject("$base/lines.csv", "w+");
foreach ([["a", "b c"], [1, 'with "quotes"']] as $row) $file->fputcsv($row, ",", '"', "");
$file->rewind();
while (!$file->eof()) echo trim((string) $file->fgets()), "|";
echo "\n";
unset($file);

mkdir("$base/d/e/f", 0777, true);
touch("$base/d/e/f/x");
echo implode(" ", scandir("$base")), " / ", implode(" ", scandir("$base/d/e/f")), "\n";
for ($i = 0; $i < 300; $i++) file_put_contents("$base/d/$i", (string) $i);
echo count(glob("$base/d/1*")), "\n";
$found = 0;
$all = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($base, FilesystemIterator::SKIP_DOTS));
foreach ($all as $entry) $found += $entry->isFile() ? 1 : 0;
echo "$found files\n";

attempt("mkdir again", fn() => mkdir("$base/d"));
attempt("rmdir of a full one", fn() => rmdir("$base/d"));
attempt("rmdir of a file", fn() => rmdir("$base/a.txt"));
attempt("unlink of nothing", fn() => unlink("$base/none"));
attempt("fopen of nothing", fn() => fopen("$base/none", "r"));
attempt("fopen of what exists", fn() => fopen("$base/a.txt", "x"));
attempt("below a file", fn() => file_get_contents("$base/a.txt/x"));
attempt("rename of nothing", fn() => rename("$base/none", "$base/some"));
attempt("folder over file", fn() => rename("$base/d", "$base/a.txt"));
attempt("rename", fn() => rename("$base/a.txt", "$base/b.txt"));
attempt("copy", fn() => copy("$base/b.txt", "$base/c.txt"));
echo file_exists("$base/a.txt") ? "there" : "gone", " ", is_dir("$base/d") ? "folder" : "file", "\n";

touch("$base/b.txt", 1111111111, 1500000000);
clearstatcache();
echo filemtime("$base/b.txt"), " ", fileatime("$base/b.txt"), "\n";
echo abs(time() - filemtime("$base/c.txt")) < 60 ? "fresh\n" : "stale\n";
$start = hrtime(true);
usleep(120000);
$slept = (hrtime(true) - $start) / 1e6;
echo $slept >= 120 && $slept < 2000 ? "slept\n" : "$slept\n";

foreach (new RecursiveIteratorIterator(
    new RecursiveDirectoryIterator("$base", FilesystemIterator::SKIP_DOTS),
    RecursiveIteratorIterator::CHILD_FIRST
) as $entry) $entry->isDir() ? rmdir($entry->getPathname()) : unlink($entry->getPathname());
attempt("rmdir at last", fn() => rmdir($base));
$input = fopen(PHP_SAPI === "cli" ? "php://stdin" : "php://input", "r");
echo json_encode([fgets($input), stream_get_contents($input), feof($input)], JSON_UNESCAPED_UNICODE), "\n";
for ($i = 0; $i < 1000; $i++) echo str_pad((string) $i, 50, "0", STR_PAD_LEFT), "\n";
error_log("on stderr");
exit(4);
