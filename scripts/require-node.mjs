// Ends the process with a readable sentence on a Node that is too old; Node, imported before anything else.

const wanted = 20;
const have = Number(process.versions.node.split(".")[0]);

if (!(have >= wanted)) {
  console.error(
    `Sallyport needs Node ${wanted} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}
