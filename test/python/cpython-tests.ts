// Which of CPython's own tests are run, and what of them cannot pass in a guest, each with its reason; Node.

/** One test module. */
export interface CpythonTest {
  /** Run as `-m test.NAME`: it sets itself up in `test_main`. */
  readonly main?: true;
  /** Tests that fail, by their id without `test.`, and why. One that passes all the same fails this. */
  readonly fails?: Readonly<Record<string, string>>;
}

const NO_TESTCAPI = "needs _testcapi, which is no part of the build";
const HUGE = "writes more than the quota of files";
const NO_SOURCE = "shows lines of the library, which is there as bytecode only";
const NO_MODES = "files have no modes in WASI";

export const CPYTHON_TESTS: Readonly<Record<string, CpythonTest>> = {
  test_json: {},
  test_re: {},
  test_random: {},
  test_zipfile: {},
  test_os: {},
  test_io: {
    fails: {
      "test_io.CIOTest.test_large_file_ops": HUGE,
      "test_io.PyIOTest.test_large_file_ops": HUGE,
    },
  },
  test_fileio: { fails: { "test_fileio.COtherFileTests.testInvalidFd_overflow": NO_TESTCAPI } },
  test_tempfile: {},
  test_shutil: {
    fails: { "test_shutil.TestCopy.test_copymode_follow_symlinks": NO_MODES },
  },
  test_pathlib: {},
  test_datetime: {},
  test_decimal: { main: true },
  test_xml_etree: { main: true },
  "test_sqlite3.test_types": {},
  "test_sqlite3.test_factory": {},
  "test_sqlite3.test_backup": {},
  test_zlib: {},
  test_gzip: {},
  test_bz2: {},
  test_lzma: {},
  test_tarfile: {},
  test_csv: {},
  test_collections: {},
  test_dict: {},
  test_struct: {},
  test_pickle: {},
  test_copy: {},
  test_math: {},
  test_itertools: {},
  test_functools: {},
  test_hashlib: {},
  test_unicodedata: {},
  test_codecs: {},
  test_builtin: {},
  test_enum: {},
  test_dataclasses: {},
  test_typing: {},
  test_exceptions: {
    fails: {
      "test_exceptions.ExceptionTests.testSettingException": NO_TESTCAPI,
      "test_exceptions.ExceptionTests.test_MemoryError": NO_TESTCAPI,
      "test_exceptions.ExceptionTests.test_exception_with_doc": NO_TESTCAPI,
      "test_exceptions.ExceptionTests.test_memory_error_cleanup": NO_TESTCAPI,
    },
  },
  test_contextlib: {
    fails: { "test_contextlib.TestExitStack.test_exit_exception_traceback": NO_SOURCE },
  },
  test_time: {},
  test_uuid: {},
  test_zoneinfo: {},
  test_glob: {},
  test_zipimport: {},
  test_runpy: {},
};
