// The Rust kit for function packages (ABI 1): JSON, a list of tools, serve(), HTTP; runs in the guest.
// One file, no crate: put it beside main.rs.
//
//     mod sallyport_package;
//     use sallyport_package::{serve, Json, Outcome, Tool};
//
//     fn greet(args: &Json, outcome: &mut Outcome) {
//         match args.get("name").text() {
//             Some(name) if !name.is_empty() => outcome.add_text(&format!("Hello, {name}!")),
//             _ => outcome.fail("name must not be empty"),
//         }
//     }
//     fn main() {
//         serve(&[Tool { name: "greet", description: "Greet someone by name.",
//                        input_schema: r#"{"type":"object"}"#, output_schema: "", call: greet }]);
//     }
//
// Build with: rustc --edition 2021 --target wasm32-wasip1 -O -C strip=symbols main.rs (wasm32-wasi in toolchains before
// 1.78), or cargo as usual.
// Print nothing on stdout yourself: it is the protocol's. Logs go to stderr (eprintln!).
#![allow(dead_code)]

use std::io::{BufRead, Write};

/// A JSON value. Numbers keep their spelling, so that no digit is lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Levels of a message; deeper is no JSON for us.
const DEPTH: usize = 512;
static NOTHING: Json = Json::Null;

impl Json {
    /// Reads a whole text; None when it is no JSON, or deeper than 512 levels.
    pub fn read(text: &str) -> Option<Json> {
        let mut parser = Parser { bytes: text.as_bytes(), text, at: 0 };
        let value = parser.value(0)?;
        parser.space();
        if parser.at == text.len() { Some(value) } else { None }
    }

    /// A member of an object (the last one of that name); null when there is none.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().rev().find(|(name, _)| name == key).map_or(&NOTHING, |(_, value)| value),
            _ => &NOTHING,
        }
    }

    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// Compact JSON.
    pub fn write(&self, to: &mut String) {
        match self {
            Json::Null => to.push_str("null"),
            Json::Boolean(value) => to.push_str(if *value { "true" } else { "false" }),
            Json::Number(digits) => to.push_str(digits),
            Json::Text(text) => write_text(to, text),
            Json::Array(items) => {
                to.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        to.push(',');
                    }
                    item.write(to);
                }
                to.push(']');
            }
            Json::Object(members) => {
                to.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        to.push(',');
                    }
                    write_text(to, key);
                    to.push(':');
                    value.write(to);
                }
                to.push('}');
            }
        }
    }
}

/// Writes a text as a JSON string.
pub fn write_text(to: &mut String, text: &str) {
    to.push('"');
    for character in text.chars() {
        match character {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            control if (control as u32) < 0x20 => to.push_str(&format!("\\u{:04x}", control as u32)),
            other => to.push(other),
        }
    }
    to.push('"');
}

struct Parser<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> u8 {
        *self.bytes.get(self.at).unwrap_or(&0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        if self.text.get(self.at..)?.starts_with(word) {
            self.at += word.len();
            Some(())
        } else {
            None
        }
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.space();
        match self.peek() {
            b'{' if depth < DEPTH => self.object(depth + 1),
            b'[' if depth < DEPTH => self.array(depth + 1),
            b'"' => Some(Json::Text(self.string()?)),
            b't' => self.take("true").map(|_| Json::Boolean(true)),
            b'f' => self.take("false").map(|_| Json::Boolean(false)),
            b'n' => self.take("null").map(|_| Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut members = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == b'}' {
            self.at += 1;
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.take(":")?;
            members.push((key, self.value(depth)?));
            self.space();
            self.at += 1;
            match self.bytes.get(self.at - 1) {
                Some(b',') => continue,
                Some(b'}') => return Some(Json::Object(members)),
                _ => return None,
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Json> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == b']' {
            self.at += 1;
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            self.at += 1;
            match self.bytes.get(self.at - 1) {
                Some(b',') => continue,
                Some(b']') => return Some(Json::Array(items)),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        let leading = self.peek();
        let whole = self.digits()?;
        if leading == b'0' && whole > 1 {
            return None;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(Json::Number(self.text[start..self.at].to_string()))
    }

    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at > start { Some(self.at - start) } else { None }
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.bytes.get(self.at)?, b'"' | b'\\' | 0..=0x1f) {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Some(text);
                }
                b'\\' => text.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        self.at += 2;
        Some(match self.bytes.get(self.at - 1)? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            plain @ (b'"' | b'\\' | b'/') => *plain as char,
            _ => return None,
        })
    }

    /// A lone surrogate becomes U+FFFD.
    fn unicode(&mut self) -> Option<char> {
        let high = self.hex()?;
        if (0xd800..0xdc00).contains(&high) && self.take("\\u").is_some() {
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
            return Some('\u{fffd}');
        }
        Some(char::from_u32(high).unwrap_or('\u{fffd}'))
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

/// A tool. Schemas are JSON text, `"type": "object"` at the top of the first; an empty output schema is none.
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub input_schema: &'static str,
    pub output_schema: &'static str,
    pub call: fn(&Json, &mut Outcome),
}

/// What a call comes to: blocks in their order, and a structured value.
#[derive(Default)]
pub struct Outcome {
    blocks: Vec<String>,
    structured: Option<Json>,
    failed: bool,
}

impl Outcome {
    pub fn add_text(&mut self, text: &str) {
        let mut block = String::from("{\"type\":\"text\",\"text\":");
        write_text(&mut block, text);
        block.push('}');
        self.blocks.push(block);
    }

    /// A link; for a file beneath /volume give its path, such as "/volume/tmp/chart.png".
    pub fn add_link(&mut self, path_or_uri: &str, name: &str) {
        let uri = match path_or_uri.strip_prefix("/volume/") {
            Some(path) => format!("volume:///{}", encode_path(path)),
            None => path_or_uri.to_string(),
        };
        let mut block = String::from("{\"type\":\"resource_link\",\"uri\":");
        write_text(&mut block, &uri);
        block.push_str(",\"name\":");
        write_text(&mut block, name);
        block.push('}');
        self.blocks.push(block);
    }

    pub fn set_structured(&mut self, value: Json) {
        self.structured = Some(value);
    }

    /// A failure that the model should read.
    pub fn fail(&mut self, text: &str) {
        self.add_text(text);
        self.failed = true;
    }
}

fn encode_path(path: &str) -> String {
    let mut encoded = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Answers requests until stdin ends; then main may return.
pub fn serve(tools: &[Tool]) {
    let stdin = std::io::stdin();
    for line in stdin.lock().split(b'\n') {
        let line = match line {
            Ok(line) => line,
            Err(_) => std::process::exit(1),
        };
        if line.is_empty() {
            continue;
        }
        let request = std::str::from_utf8(&line).ok().and_then(Json::read);
        if let Some(mut answer) = answer(request.as_ref(), tools) {
            answer.push('\n');
            let mut stdout = std::io::stdout().lock();
            if stdout.write_all(answer.as_bytes()).and_then(|_| stdout.flush()).is_err() {
                std::process::exit(1);
            }
        }
    }
}

fn answer(request: Option<&Json>, tools: &[Tool]) -> Option<String> {
    let members = match request {
        Some(Json::Object(members)) => members,
        _ => return Some(error("null", -32700, "the line is no JSON object")),
    };
    // A message without an id is a notification.
    let (_, id) = members.iter().find(|(key, _)| key == "id")?;
    let mut echo = String::new();
    id.write(&mut echo);
    let request = request?;
    Some(match request.get("method").text() {
        Some("server/discover") => result(
            &echo,
            "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}",
        ),
        Some("tools/list") => result(&echo, &listing(tools)),
        Some("tools/call") => call(&echo, request.get("params"), tools),
        _ => error(&echo, -32601, "there is no such method"),
    })
}

fn listing(tools: &[Tool]) -> String {
    let mut to = String::from("\"tools\":[");
    for (index, tool) in tools.iter().enumerate() {
        if index > 0 {
            to.push(',');
        }
        to.push_str("{\"name\":");
        write_text(&mut to, tool.name);
        to.push_str(",\"description\":");
        write_text(&mut to, tool.description);
        to.push_str(",\"inputSchema\":");
        to.push_str(tool.input_schema);
        if !tool.output_schema.is_empty() {
            to.push_str(",\"outputSchema\":");
            to.push_str(tool.output_schema);
        }
        to.push('}');
    }
    // A client may keep the list for a day: what a module offers only changes with the module.
    to.push_str("],\"ttlMs\":86400000,\"cacheScope\":\"public\"");
    to
}

fn call(id: &str, params: &Json, tools: &[Tool]) -> String {
    let tool = match tools.iter().find(|tool| params.get("name").text() == Some(tool.name)) {
        Some(tool) => tool,
        None => return error(id, -32602, "there is no such tool"),
    };
    let mut outcome = Outcome::default();
    (tool.call)(params.get("arguments"), &mut outcome);
    let mut members = format!("\"content\":[{}]", outcome.blocks.join(","));
    if let Some(value) = outcome.structured {
        members.push_str(",\"structuredContent\":");
        value.write(&mut members);
    }
    if outcome.failed {
        members.push_str(",\"isError\":true");
    }
    result(id, &members)
}

fn result(id: &str, members: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",{members}}}}}")
}

fn error(id: &str, code: i32, message: &str) -> String {
    let mut text = String::new();
    write_text(&mut text, message);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{text}}}}}")
}

#[link(wasm_import_module = "subako_http")]
extern "C" {
    #[link_name = "request"]
    fn subako_http_request(pointer: *const u8, length: i32) -> i32;
    #[link_name = "read_response"]
    fn subako_http_read_response(pointer: *mut u8, length: i32) -> i32;
}

/// Sends an HTTP request document (JSON text) and blocks; the answer is an object with "ok" or "error".
pub fn http(document: &str) -> Option<Json> {
    let length = unsafe { subako_http_request(document.as_ptr(), document.len() as i32) };
    if length < 0 {
        return None;
    }
    let mut answer = vec![0u8; length as usize];
    if unsafe { subako_http_read_response(answer.as_mut_ptr(), length) } != 0 {
        return None;
    }
    Json::read(std::str::from_utf8(&answer).ok()?)
}
