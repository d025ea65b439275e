// `npm start` and `npm run dev`: installs what is missing, builds, and serves the playground on localhost; Node.
import "./require-node.mjs";
import { watch } from "node:fs";
import { join } from "node:path";
import { argv, env } from "node:process";
import { build } from "./build.mjs";
import { copyGuests } from "./copy-guests.mjs";
import { installPackages } from "./install-packages.mjs";
import { root } from "./run-command.mjs";

const dev = argv.includes("--dev");
const settleMs = 100;

if (!(await installPackages())) process.exit(1);
try {
  await build({ readable: dev });
  copyGuests();
  const server = await serve();
  if (dev) rebuildOnChange(server);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function serve() {
  const { createServer } = await import("vite");
  const server = await createServer({
    configFile: join(root, "vite.config.ts"),
    server: {
      host: "localhost",
      port: Number(env.PORT ?? 5173),
      strictPort: false,
      // A visitor changes nothing, and systems bound how many files may be watched: a build of Python leaves thousands.
      watch: { ignored: dev ? ["**/.cache/**"] : () => true },
    },
    clearScreen: false,
    logLevel: dev ? "info" : "warn",
  });
  await server.listen();
  console.log(`\nThe playground: ${server.resolvedUrls.local[0]}  (Ctrl+C stops it)`);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
  }
  return server;
}

function rebuildOnChange(server) {
  let timer;
  let work = Promise.resolve();
  const rebuild = async () => {
    try {
      if (await build({ readable: dev })) server.ws.send({ type: "full-reload" });
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  };
  for (const folder of ["src", "guests"]) {
    watch(join(root, folder), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void (work = work.then(rebuild)), settleMs);
    });
  }
  console.log("Watching src/ and guests/.");
}
