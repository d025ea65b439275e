// Three sets of tests: unit (Node), browser (Node that drives Chromium), dist (the built package); Node.
import { defineConfig } from "vitest/config";

const long = process.env.SALLYPORT_LONG === "1";
const exclude = ["**/node_modules/**", ...(long ? [] : ["**/*.long.test.ts"])];
const minute = 60_000;

export default defineConfig({
  test: {
    projects: [
      {
        // Files that readers copy import the library by its name.
        resolve: {
          alias: [{ find: /^sallyport$/, replacement: `${import.meta.dirname}/src/index.ts` }],
        },
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/conformance/**/*.test.ts"],
          exclude,
          testTimeout: long ? 30 * minute : 20_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts", "test/python/**/*-chromium.test.ts"],
          exclude,
          // One Chromium at a time: two on two cores only make each other late.
          fileParallelism: false,
          testTimeout: long ? 60 * minute : minute,
          hookTimeout: minute,
        },
      },
      {
        test: {
          name: "dist",
          include: [
            "test/dist/**/*.test.ts",
            "test/python/**/*-node.test.ts",
            "test/python/**/*.long.test.ts",
          ],
          exclude,
          fileParallelism: false,
          testTimeout: 3 * minute,
          hookTimeout: 3 * minute,
        },
      },
    ],
  },
});
