/** One page without any other file: script and style are put into it, with the hash of what it was made from. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig, type Plugin } from "vite";

const ROOT = import.meta.dirname;
const PAGE = join(ROOT, "../src/pliant/view/page.html");

/** SHA-256 over names and contents of all sources, as tests/test_view_page.py computes it. */
function digest(): string {
  const files = readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile()).map((f) => relative(ROOT, join(f.parentPath, f.name)).replaceAll("\\", "/"))
    .filter((f) => f.startsWith("src/") || ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"].includes(f)).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file))).update("\n");
  return hash.digest("hex");
}

function onePage(): Plugin {
  return {
    name: "one-page", enforce: "post",
    generateBundle(_, bundle) {
      const parts = Object.values(bundle), page = parts.find((p) => p.fileName === "index.html");
      if (page?.type !== "asset") throw new Error("there is no page");
      let html = String(page.source);
      for (const part of parts) {
        if (part.type === "chunk") {
          const code = part.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--").trim();
          html = html.replace(/<script type="module"[^>]*src="[^"]*"[^>]*><\/script>/, "");
          html = html.replace("</body>", () => `<script type="module">\n${code}\n</script>\n</body>`);
        } else if (part.fileName.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>\n${String(part.source).trim()}\n</style>`);
        }
      }
      html = html.replace("<meta charset", `<meta name="pliant-source" content="${digest()}">\n<meta charset`);
      writeFileSync(PAGE, html);
      for (const name of Object.keys(bundle)) delete bundle[name];
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  build: { target: "es2022", modulePreload: false, assetsInlineLimit: 1e9, cssCodeSplit: false, emptyOutDir: false, outDir: "dist", chunkSizeWarningLimit: 2000, reportCompressedSize: false },
});
