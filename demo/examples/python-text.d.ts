// Python files as text, the way Vite imports them; types only.
declare module "*.py?raw" {
  const text: string;
  export default text;
}
