// test/browser/chromium.ts
import { execFile } from "node:child_process";
import { existsSync as existsSync2, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join as join2 } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

// src/platform/package-root.ts
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
function packageRoot() {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("package.json not found above the program");
    folder = parent;
  }
  return folder;
}

// test/browser/chromium.ts
var ARGUMENTS = ["--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"];
var LAUNCH_TIMEOUT_MS = 3e4;
async function launchChromium(more = []) {
  const own = [...ARGUMENTS, ...more];
  const failures = [];
  for (const find of [findPackaged, findInstalled]) {
    for (const { name, options } of await find(failures)) {
      try {
        return await chromium.launch({
          headless: true,
          timeout: LAUNCH_TIMEOUT_MS,
          args: process.getuid?.() === 0 ? [...own, "--no-sandbox"] : own,
          ...options
        });
      } catch (error) {
        failures.push(`${name}: ${firstLines(error)}`);
      }
    }
  }
  throw new Error(
    [
      "Chromium does not start on this machine. Install it, for example with",
      "  apt-get install chromium",
      "or the libraries it needs: apt-get install libnss3 libnspr4 libexpat1 fonts-liberation.",
      ...failures
    ].join("\n")
  );
}
async function findPackaged(failures) {
  try {
    const folder = await unpack();
    const executablePath = join2(folder, "chromium");
    const libraries = { LD_LIBRARY_PATH: join2(folder, "al2023", "lib") };
    const fonts = { FONTCONFIG_PATH: join2(folder, "fonts") };
    const env = (more) => ({ ...definedIn(process.env), ...more });
    return [
      { name: "@sparticuz/chromium", options: { executablePath } },
      {
        name: "@sparticuz/chromium with its own libraries",
        options: { executablePath, env: env({ ...libraries, ...fonts }) }
      }
    ];
  } catch (error) {
    failures.push(`@sparticuz/chromium: ${firstLines(error)}`);
    return [];
  }
}
function findInstalled() {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return ["chromium", "chromium-browser", "google-chrome"].flatMap((name) => folders.map((folder) => join2(folder, name))).filter((path) => existsSync2(path)).map((executablePath) => ({ name: executablePath, options: { executablePath } }));
}
async function unpack() {
  const require2 = createRequire(import.meta.url);
  const entry = require2.resolve("@sparticuz/chromium");
  const cache = join2(packageRoot(), "build");
  const folder = join2(cache, "chromium-for-tests");
  if (existsSync2(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join2(cache, "chromium-partial-"));
  const program = `import module from ${JSON.stringify(pathToFileURL(entry).href)}
    await (module.default ?? module).executablePath()`;
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      // With this variable, the package also unpacks the libraries.
      env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
    });
    if (!existsSync2(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}
var definedIn = (env) => Object.fromEntries(
  Object.entries(env).flatMap(([name, value]) => value === void 0 ? [] : [[name, value]])
);
var firstLines = (error) => String(error).split("\n").slice(0, 6).join("\n  ");

// test/console/tour.ts
import { readdirSync, readFileSync } from "node:fs";
import { join as join3 } from "node:path";
var TEXT_MS = 15e3;
function readPatterns() {
  const folder = join3(packageRoot(), "console", "src", "pages");
  return readdirSync(folder).flatMap((area) => {
    const text = readFileSync(join3(folder, area, "pages.ts"), "utf8");
    return [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, pattern = ""]) => pattern);
  });
}
async function tour(page2, base2, visit) {
  const patterns = readPatterns();
  const seen = [];
  const pending = ["/", "/orders?min_score=70"];
  for (let path = pending.shift(); path !== void 0; path = pending.shift()) {
    const pattern = patternOf(patterns, path);
    if (pattern === void 0 || seen.includes(pattern)) continue;
    seen.push(pattern);
    await page2.goto(base2 + path);
    await settle(page2);
    await visit({ path, pattern, title: await page2.title() });
    const links = await linksIn(page2, base2);
    pending.push(...links);
  }
  return seen;
}
async function settle(page2) {
  await page2.locator("main h1").first().waitFor({ timeout: TEXT_MS });
  const spinners = page2.locator("main .state .spinner");
  while (await spinners.count() > 0) {
    await spinners.first().waitFor({ state: "detached", timeout: TEXT_MS });
  }
}
async function linksIn(page2, base2) {
  const addresses = await page2.evaluate(
    `[...document.querySelectorAll('a[href]')].map(({ href }) => href)`
  );
  return addresses.flatMap(
    (address) => address.startsWith(base2) ? [address.slice(base2.length) || "/"] : []
  );
}
function patternOf(patterns, path) {
  const bare = path.replace(/[?#].*$/, "") || "/";
  const matching = patterns.filter((pattern) => matches(pattern, bare));
  return matching.toSorted((a, b) => count(a, ":") - count(b, ":"))[0];
}
var count = (text, sign) => text.split(sign).length;
var matches = (pattern, path) => new RegExp(`^${pattern.replaceAll(/:[^/]+/g, "[^/]+")}$`).test(path);

// ../../../tmp/cls.ts
var [, , origin, org, email, password, width = "1280"] = process.argv;
var browser = await launchChromium();
var ctx = await browser.newContext({ viewport: { width: Number(width), height: 800 }, locale: "en-GB", timezoneId: "Europe/Berlin", reducedMotion: "reduce" });
var page = await ctx.newPage();
await page.addInitScript(`window.shifts=[]; new PerformanceObserver((list)=>{for(const e of list.getEntries()){ if(!e.hadRecentInput) window.shifts.push({v:e.value,t:e.startTime,s:e.sources.map(s=>{const n=s.node; const el=n&&(n.nodeType===1?n:n.parentElement); return (el? el.tagName+'.'+(el.className&&el.className.baseVal===undefined?el.className:'')+':'+(el.textContent||'').slice(0,30):'?')+' '+[s.previousRect.y,s.previousRect.height,s.currentRect.y,s.currentRect.height].map(Math.round).join(',')})})}}).observe({type:'layout-shift',buffered:true})`);
var base = origin + "/console/o/" + org;
await page.goto(base);
await page.getByLabel("E-mail").fill(email);
await page.getByLabel("Password").fill(password);
await page.getByRole("button", { name: "Sign in", exact: true }).click();
await page.locator("#content").waitFor();
var rows = [];
await tour(page, base, async ({ path, pattern }) => {
  const reqs = [];
  const on = (r) => {
    const u = new URL(r.url());
    if (u.pathname.startsWith("/console/api/")) reqs.push({ n: r.method() + " " + u.pathname + u.search, ms: r.timing().responseEnd });
  };
  page.on("requestfinished", on);
  const t = performance.now();
  await page.goto(base + path);
  await settle(page).catch((e) => console.log("UNSETTLED", path));
  const ms = performance.now() - t;
  page.off("requestfinished", on);
  await page.waitForTimeout(300);
  const shifts = await page.evaluate("window.shifts");
  const cls = shifts.reduce((a, b) => a + b.v, 0);
  reqs.sort((a, b) => b.ms - a.ms);
  rows.push({ path, ms, cls });
  console.log(JSON.stringify({ path, ms: Math.round(ms), cls: Number(cls.toFixed(4)), top: reqs.slice(0, 3).map((r) => Math.round(r.ms) + " " + r.n.replace(/org_id=[^&]*/, "").slice(0, 140)), shifts: shifts.filter((s) => s.v > 3e-3).map((s) => s.v.toFixed(3) + " @" + Math.round(s.t) + " " + s.s.join(" | ")) }));
});
await browser.close();
