// The version of the library, as package.json has it (a test keeps them one); page, worker and Node.

export const VERSION = "0.1.0";
