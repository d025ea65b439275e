// Every number of every protocol and limit, named, with its unit and source; page, worker and Node.

const KiB = 1024;
const MiB = 1_048_576;

// Tool protocol v1 (seed: tool protocol).
/** Bytes of one request frame, judged from the length before it is read. */
export const DOOR_REQUEST_BYTES = MiB;
/** Bytes of one answer. */
export const DOOR_ANSWER_BYTES = 16 * MiB;
/** Nesting levels of a frame, the envelope included. */
export const FRAME_DEPTH = 64;
/** Characters of an integer literal. */
export const INTEGER_CHARACTERS = 64;
/** Frames a run may send, discovery included. */
export const BUDGET_FRAMES = 1_000;
/** Request bytes a run may send. */
export const BUDGET_BYTES = 16 * MiB;
/** Characters (code points) of an error message. */
export const MESSAGE_CHARACTERS = 4_096;
/** Characters of a piece of guest text that a message repeats. */
export const ECHO_CHARACTERS = 64;
/** Schema steps a frame may cost. */
export const SCHEMA_STEPS = 100_000;
/** Schema nodes of a chain of $ref, anyOf and oneOf on one value. */
export const SCHEMA_CHAIN = 8;
/** Levels of a schema document given to tool(). */
export const SCHEMA_DEPTH = 128;
/** Levels of a tool's result; deeper is no JSON that a guest could read. */
export const RESULT_DEPTH = 512;
/** Bytes up to which a frame past the budget is still read, to echo its id. */
export const OVER_BUDGET_READ_BYTES = 4 * KiB;
/** Bytes of encoded answers whose values a door's record keeps. */
export const RECORD_BYTES = 16 * MiB;
/** Calls that a door's record keeps; the oldest go first. */
export const RECORD_CALLS = 10_000;
/** Characters of a host error's first line in the record. */
export const RECORD_LINE_CHARACTERS = 1_024;
/** Milliseconds a tool may take. */
export const TOOL_TIMEOUT_MS = 30_000;

// HTTP (seed: function packages; subako_http).
/** Bytes of one HTTP request document. */
export const HTTP_REQUEST_BYTES = 8 * MiB;
/** Decoded bytes of an inline body. */
export const HTTP_INLINE_BYTES = 256 * KiB;
/** Redirects followed. */
export const HTTP_REDIRECTS = 10;
/** Milliseconds of one exchange, all hops and the body included, unless the page says otherwise. */
export const HTTP_TIMEOUT_MS = 30_000;
/** Nesting levels of a request document. */
export const HTTP_DEPTH = 128;
/** Characters of a URL. */
export const HTTP_URL_CHARACTERS = 32 * KiB;
/** Headers of a request. */
export const HTTP_HEADERS = 64;
/** Bytes of a request's headers, names and values. */
export const HTTP_HEADER_BYTES = 32 * KiB;
/** Bytes of an answer's headers, names and values. */
export const HTTP_ANSWER_HEADER_BYTES = 256 * KiB;
/** Bytes of a file sent as a body; fetch takes it whole, so the page holds it as a Blob. */
export const HTTP_UPLOAD_BYTES = 256 * MiB;
/** Requests kept in the record; the oldest go first. */
export const HTTP_RECORDS = 1_000;
/** Bytes of a body between two reports of progress. */
export const HTTP_PROGRESS_BYTES = 256 * KiB;
/** Characters below which a credential is not looked for in answers: it would match by chance. */
export const HTTP_SECRET_CHARACTERS = 8;

// The blocking channel.
/** Bytes of shared memory a run holds at rest. */
export const CHANNEL_REST_BYTES = 64 * KiB;
/** Bytes of one part of a file body or file output. */
export const FILE_PART_BYTES = MiB;
/** What a chunk of output counts on top of its bytes: a guest that writes byte by byte must not flood the page with messages. */
export const OUTPUT_CHUNK_BYTES = 512;
/** Bytes that a guest may write between two questions whether anybody reads what is past the cap. */
export const OUTPUT_DROP_BYTES = 4 * MiB;
/** Bytes of output that may be on their way to the page. */
export const OUTPUT_IN_FLIGHT_BYTES = 256 * KiB;
/** Bytes of shared memory for small writes; a power of two. */
export const OUTPUT_RING_BYTES = 16 * KiB;

// A run.
/** Milliseconds of the guest's own time. */
export const RUN_TIMEOUT_MS = 30_000;
/** Size of a terminal in characters, as a VT100 has it. */
export const TERMINAL_COLUMNS = 80;
export const TERMINAL_ROWS = 24;
/** Characters of a side at most: a winsize has 16 bits for it. */
export const TERMINAL_SIDE = 65_535;
/** Bytes of stdout, and of stderr, kept for the result. */
export const OUTPUT_BYTES = 16 * MiB;
/** Bytes of a guest's memory. */
export const MEMORY_BYTES = 256 * MiB;
/** Bytes of a module. */
export const MODULE_BYTES = 64 * MiB;
/** Bytes of the code that a module loads when it needs it. */
export const DEFERRED_CODE_BYTES = 16 * MiB;
/** Bytes of one WebAssembly page. */
export const WASM_PAGE_BYTES = 64 * KiB;
/** Entries of all tables of a module together, to start with and grown (an engine holds 16 to 24 bytes for each). */
export const TABLE_ENTRIES = MiB;
/** Types of a module. Engines take a million, but Chromium keeps all for good, and ends a tab that has seen two million. */
export const MODULE_TYPES = 50_000;
/** Functions, globals or tags of a module (WebAssembly JavaScript Interface, limits). */
export const MODULE_ENTRIES = 1_000_000;
/** Imports, and exports, of a module: each becomes an object of the page, so fewer than engines take today. */
export const MODULE_LINKS = 100_000;
/** Sections of a module; the format has 13 kinds, the rest are custom sections. */
export const MODULE_SECTIONS = 100_000;
/** Tables of a module (WebAssembly JavaScript Interface, limits). */
export const MODULE_TABLES = 100_000;
/** Memories of a module (same source). */
export const MODULE_MEMORIES = 100;
/** Parameters or results of a function type (same source). */
export const FUNCTION_PARAMETERS = 1_000;
/** Characters of a guest function's name that a message repeats. */
export const FUNCTION_NAME_CHARACTERS = 256;
/** Parameters and results together up to which facts tell a function's type: hostile types repeat thousands. */
export const FACTS_TYPE_VALUES = 64;
/** Problems that one inspection lists; past that it says how many more were seen. */
export const INSPECT_PROBLEMS = 1_000;
/** Milliseconds that the init export of a snapshot may take, unless `snapshot.timeoutMs` says otherwise. */
export const SNAPSHOT_INIT_MS = 60_000;
/** Bytes of the head of a snapshot's image: what it was made of, and globals. */
export const SNAPSHOT_HEAD_BYTES = 65_536;
/** Milliseconds after which a sandbox's library is fetched that no run has asked for. */
export const LIBRARY_DELAY_MS = 250;
/** What could not be loaded is not asked for again before, however often guests ask. */
export const LOAD_AGAIN_MS = 1_000;
/** Milliseconds a worker has to say that it is ready. */
export const WORKER_READY_MS = 10_000;
/** Milliseconds a worker that was given a run has to begin it; large files are handed over in that time, too. */
export const WORKER_BEGIN_MS = 30_000;
/** Milliseconds an aborted guest has to unwind before its worker is terminated. */
export const UNWIND_MS = 100;
/** Milliseconds for which a terminated worker may run on (Chromium's grace). */
export const TERMINATE_GRACE_MS = 2_500;
/** Guests alive at once in one sandbox. */
export const LIVE_GUESTS = 8;
/** Bytes of memory to start with, up to which a worker makes its next guest before it is asked for. */
export const AHEAD_BYTES = 64 * MiB;
/** Bytes of a module, up to which its code is read so that its instances may be put back instead of made anew. */
export const IN_PLACE_MODULE_BYTES = MiB;
/** Bytes of memory to start with, up to which that is quicker. */
export const IN_PLACE_BYTES = 2 * MiB;
/** Runs of a sandbox, after which it is likely to pay. */
export const IN_PLACE_RUNS = 4;
/** Runs that may wait for a place. */
export const QUEUED_RUNS = 256;

// Files.
/** Bytes of all writable in-memory files of a run. */
export const FILES_BYTES = 256 * MiB;
/** Entries (files, folders, links) of all writable trees of a run. */
export const FILES_ENTRIES = 65_536;
/** Open descriptors. */
export const FILES_DESCRIPTORS = 256;
/** Bytes of a path. */
export const PATH_BYTES = 4_096;
/** Components of a path, and depth of a tree. */
export const PATH_DEPTH = 128;
/** Symbolic links followed in one lookup. */
export const SYMLINK_HOPS = 40;
/** Bytes a run may write, rewriting included. */
export const WRITE_BUDGET_BYTES = 1_024 * MiB;
/** iovecs of one read or write. */
export const IOVECS = 1_024;
/** Subscriptions of one poll. */
export const SUBSCRIPTIONS = 1_024;
/** Bytes of one name in a path. */
export const NAME_BYTES = 255;
/** Characters of a volume's name. */
export const VOLUME_NAME_CHARACTERS = 64;
/** Bytes of one block of a file in memory. */
export const FILE_BLOCK_BYTES = 64 * KiB;

// Function packages (seed: function packages; ABI 1).
/** The ABI that packages are served by. */
export const PACKAGE_ABI = 1;
/** Bytes a call may print on stdout. */
export const PACKAGE_STDOUT_BYTES = MiB;
/** Bytes of stderr that a crash tells: the last ones. */
export const PACKAGE_STDERR_BYTES = 4 * KiB;
/** Milliseconds of a call, HTTP included, unless the page says otherwise. */
export const PACKAGE_TIMEOUT_MS = 30_000;
/** Milliseconds a package has to say what it offers. */
export const PACKAGE_DISCOVERY_MS = 10_000;
/** Milliseconds from the last answer, which ends stdin, to the exit. */
export const PACKAGE_EXIT_MS = 1_000;
/** Pages of tools/list. */
export const PACKAGE_PAGES = 16;
/** Tools of a package. */
export const PACKAGE_TOOLS = 64;
/** Characters (code points) of a tool's name. */
export const PACKAGE_NAME_CHARACTERS = 64;
/** Characters (code points) of a tool's description. */
export const PACKAGE_DESCRIPTION_CHARACTERS = 1_024;
/** Bytes of an input or output schema, as compact JSON in UTF-8. */
export const PACKAGE_SCHEMA_BYTES = 64 * KiB;
/** Bytes of all tools together, as compact JSON in UTF-8. */
export const PACKAGE_LISTING_BYTES = 256 * KiB;
/** Bytes of the line that asks for a call. */
export const PACKAGE_REQUEST_BYTES = 16 * MiB;
/** Nesting levels of a message, so that nobody who walks it later runs out of stack. */
export const PACKAGE_MESSAGE_DEPTH = 512;
/** Bytes of one image that a result links. */
export const PACKAGE_IMAGE_BYTES = 16 * MiB;
/** Bytes of all images that a result links. */
export const PACKAGE_IMAGES_BYTES = 64 * MiB;
/** Pixels of the images of a result, together: a small file may unpack to gigabytes. */
export const PACKAGE_IMAGE_PIXELS = 2 ** 26;
/** Bytes of a command line, and of variables, that are baked into a module. */
export const PACKAGE_COMMAND_LINE_BYTES = 64 * KiB;
/** Bytes of a manifest. */
export const PACKAGE_MANIFEST_BYTES = 64 * KiB;
/** How many times its own size an archive may unpack to; small ones may always unpack to 1 MiB. */
export const PACKAGE_ARCHIVE_RATIO = 100;
/** Bytes that an archive may unpack to whatever its own size. */
export const PACKAGE_ARCHIVE_LEAST_BYTES = MiB;
/** Entries of a package archive. */
export const PACKAGE_ARCHIVE_ENTRIES = 16_384;

// Tools of the contract.
/** Bytes of a SKILL.md and of a file beside it. */
export const SKILL_FILE_BYTES = 10 * MiB;
/** Bytes of a tool server registry or a tool manifest. */
export const CONFIG_BYTES = MiB;
/** Pages of a remote server's tools/list. */
export const MCP_PAGES = 64;
/** Milliseconds of a call of a remote server, unless somebody says otherwise. */
export const MCP_TIMEOUT_MS = 30_000;
/** Milliseconds for which a remote server's list may be kept, whatever it says. */
export const MCP_CACHE_MS = 24 * 60 * 60 * 1_000;
/** Bytes of stdout, and of stderr, that a tool of a guest shows of a run. */
export const WASM_TOOL_OUTPUT_BYTES = 64 * KiB;
/** Calls that one peer of a served registry may have in flight. */
export const MCP_SERVED_CALLS = 64;
/** Events of a tool's stream, for those who take only whole results. */
export const STREAM_EVENTS = 10_000;
/** Characters of such a stream. */
export const STREAM_CHARACTERS = 4 * MiB;
