# The Ruby half of the tool protocol: call the page's tools, and HTTP, through the device files; runs in a Ruby guest (3.0
# and later, with its own json).
#
#     require "/lib/sallyport/ruby/sallyport"
#
#     puts Sallyport.tools.lookup_region("EMEA")        # positional: required arguments first, as the schema lists them
#     puts Sallyport.tools.lookup_region(code: "EMEA")  # or by keyword
#
# Bytes are binary strings (ASCII-8BIT), both ways; integers may have any size. Sallyport.tool_names lists the tools.
require "json"

module Sallyport
  # A call failed: kind says how, the message is what the host chose to say.
  class ToolError < StandardError
    attr_reader :kind

    def initialize(message = nil, kind = self.class::KIND)
      super(message)
      @kind = kind
    end

    KIND = "tool_error"
  end

  # The frame broke a rule, or the answer does not match.
  class ToolProtocolError < ToolError
    KIND = "protocol"
  end

  # There is no such tool ("unknown_tool"), or the arguments do not fit its schema ("invalid_arguments").
  class ToolArgumentError < ToolError
    KIND = "invalid_arguments"
  end

  # The page, or the tool, refused.
  class ToolDenied < ToolError
    KIND = "denied"
  end

  # The call ran out of time.
  class ToolTimeout < ToolError
    KIND = "timeout"
  end

  # The run was cancelled during the call; the guest is stopped soon after.
  class ToolCancelled < ToolError
    KIND = "cancelled"
  end

  # The request was over 1 MiB, or the answer over 16 MiB.
  class ToolTooLarge < ToolError
    KIND = "too_large"
  end

  # The run has used up its calls, or the bytes that it may send.
  class ToolBudgetExceeded < ToolError
    KIND = "budget_exceeded"
  end

  CLASSES = [
    ToolError, ToolProtocolError, ToolArgumentError, ToolDenied, ToolTimeout, ToolCancelled, ToolTooLarge,
    ToolBudgetExceeded
  ].to_h { |error| [error::KIND, error] }.merge("unknown_tool" => ToolArgumentError).freeze

  # An HTTP request was not made, or not finished: kind says why.
  class HttpError < StandardError
    attr_reader :kind

    def initialize(kind, message)
      super(message)
      @kind = kind
    end
  end

  # A device file: one line out, one line back. It stays open until something goes wrong.
  class Device
    def initialize(path)
      @path = path
    end

    def call(line)
      file = @file || File.open(@path, "r+b").tap { |opened| opened.sync = true }
      @file = nil
      file.write(line, "\n")
      answer = file.gets
      raise IOError, "#{@path} gave no answer" unless answer&.end_with?("\n")
      @file = file
      answer.chomp.force_encoding(Encoding::UTF_8)
    ensure
      file&.close unless @file
    end
  end

  # Calls one tool an answer away: its singleton methods are the tools.
  class Tools < BasicObject
    def initialize(descriptors)
      @names = descriptors.map { |descriptor| descriptor.fetch("name") }
      singleton = (class << self; self; end)
      descriptors.each do |descriptor|
        name, order = descriptor.fetch("name"), ::Sallyport.order(descriptor.fetch("inputSchema"))
        singleton.define_method(name) { |*args, **named| ::Sallyport.call(name, order, args, named) }
      end
    end

    def inspect
      "#<Sallyport::Tools #{@names.join(", ")}>"
    end

    def respond_to?(name, _all = false)
      @names.include?(name.to_s)
    end

    private

    def method_missing(name, *)
      known = @names.empty? ? "none" : @names.join(", ")
      ::Kernel.raise ::NoMethodError, "the host has no tool #{name.to_s.inspect} (its tools: #{known})"
    end
  end

  class << self
    # The page's tools; the host is asked once. ToolError when it does not answer or refuses.
    def tools
      @tools ||= Tools.new(descriptors)
    end

    # Names of the tools, in the page's order.
    def tool_names
      descriptors.map { |descriptor| descriptor["name"] }
    end

    # The tools as the page describes them: name, description, inputSchema.
    def descriptors
      @descriptors ||= ask({ op: "list" }, "tools")
    end

    # Sends an HTTP request document such as {url: "https://..."} through the page. Gives status, headers and body.
    def http(request)
      @http ||= Device.new(ENV["HOST_HTTP"] || "/dev/http")
      answer = JSON.parse(@http.call(JSON.generate(request)))
      return answer["ok"] if answer["ok"]
      raise HttpError.new(answer["error"]["kind"], answer["error"]["message"])
    rescue SystemCallError, IOError, JSON::ParserError, NoMethodError => error
      raise HttpError.new("abi", error.message)
    end

    # Parameters by position: required ones first, each group as the schema lists it.
    def order(schema)
      names = schema.is_a?(Hash) && schema["properties"].is_a?(Hash) ? schema["properties"].keys : []
      required = names & (schema.is_a?(Hash) ? schema["required"] || [] : [])
      required + (names - required)
    end

    def call(name, order, args, named)
      raise ToolArgumentError, "#{name} takes at most #{order.size} positional arguments" if args.size > order.size
      given = order.zip(args).first(args.size).to_h
      named.each do |key, value|
        raise ToolArgumentError, "#{name} got #{key} twice, by position and by name" if given.key?(key.to_s)
        given[key.to_s] = value
      end
      check_depth(given)
      ask({ op: "call", tool: name, args: plain(given) }, "value")
    end

    private

    def ask(operation, member)
      @last_id = (@last_id || 0) + 1
      @door ||= Device.new(ENV["HOST_DOOR"] || "/dev/door")
      line = JSON.generate({ v: 1, id: @last_id, **operation }, max_nesting: 0)
      result(decode(@door.call(line)), member)
    rescue SystemCallError, IOError => error
      raise ToolProtocolError, "the host does not answer: #{error.message}"
    rescue JSON::GeneratorError => error
      raise ToolProtocolError, error.message
    end

    # Below, loops stand where blocks would be nicer: a block within a block within a block takes more stack than a guest
    # in a browser has, a method within a method takes none.

    # 62 levels are left for arguments.
    def check_depth(arguments)
      left = [[arguments, 0]]
      until left.empty?
        value, depth = left.pop
        items = value.is_a?(Hash) ? value.values : value
        next unless items.is_a?(Array)
        raise ToolProtocolError, "the arguments are nested more than 62 levels deep" if depth > 62
        items.each { |item| left << [item, depth + 1] }
      end
    end

    # The value with bytes as {"$bytes": ...}.
    def plain(value)
      case value
      when nil, true, false, Integer, Float then value
      when Symbol then value.to_s
      when String then value.encoding == Encoding::BINARY ? { "$bytes" => [value].pack("m0") } : value
      when Array then plain_array(value)
      when Hash then value.keys.map { |key| key_of(key) }.zip(plain_array(value.values)).to_h
      else raise ToolArgumentError, "a #{value.class} cannot be sent to the host"
      end
    end

    def plain_array(values)
      result = []
      result << plain(values[result.size]) while result.size < values.size
      result
    end

    def key_of(key)
      return key.to_s if key.is_a?(String) || key.is_a?(Symbol)
      raise ToolArgumentError, "a key has to be a String or Symbol, not #{key.class}"
    end

    def decode(line)
      # Ruby's parser is lenient about these two.
      line.scan(/\\(.?)/m) { |(escaped)| raise JSON::ParserError, "a bad escape" unless '"\\/bfnrtu'.include?(escaped) }
      raise JSON::ParserError, "no text" if line.strip.empty?
      with_bytes(JSON.parse(line, max_nesting: 0))
    rescue JSON::ParserError, EncodingError, ArgumentError => error
      raise ToolProtocolError, "the answer cannot be read: #{error.message}"
    end

    def with_bytes(value)
      return with_bytes_array(value) if value.is_a?(Array)
      return value unless value.is_a?(Hash)
      return value.keys.zip(with_bytes_array(value.values)).to_h unless value.keys == ["$bytes"]
      raise ArgumentError, "$bytes is no base64" unless value["$bytes"].is_a?(String)
      value["$bytes"].unpack1("m0")
    end

    def with_bytes_array(values)
      result = []
      result << with_bytes(values[result.size]) while result.size < values.size
      result
    end

    def result(answer, member)
      raise ToolProtocolError, "the answer is no object" unless answer.is_a?(Hash)
      raise ToolProtocolError, "the answer has another version" unless answer["v"].eql?(1)
      ok, error = answer.values_at("ok", "error")
      # A frame that the host could not read is answered with the id null.
      ours = answer["id"].eql?(@last_id) || (ok == false && answer.key?("id") && answer["id"].nil?)
      raise ToolProtocolError, "the answer is to another frame" unless ours
      return answer[member] if ok == true && answer.key?(member)
      if ok == false && error.is_a?(Hash) && error["kind"].is_a?(String) && error["message"].is_a?(String)
        raise (CLASSES[error["kind"]] || ToolError).new(error["message"], error["kind"])
      end
      raise ToolProtocolError, "the answer has neither a result nor an error"
    end
  end
end
