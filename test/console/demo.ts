/** Runs `vigil demo` of the built program and signs in as its owner. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../e2e/program.ts'
import { signInAt } from './harness.ts'

export type DemoProcess = {
  /** Base URL of the organization in the console: `http://127.0.0.1:…/console/o/…`. */
  base: string
  origin: string
  org_id: string
  signIn(browser: Browser, options?: ViewOptions): Promise<Page>
  close(): Promise<void>
}

type ViewOptions = { width?: number; height?: number; locale?: string }

export type DemoSource = {
  size?: 'standard' | 'large'
  /** Is filled by the first run and remains. */
  folder?: string | undefined
}

type Ready = { url: string; org_id: string; email: string; password: string }

const START_MS = 240_000
const LARGE_START_MS = 7_200_000
const POLL_MS = 100

/** @param scale share of the data, up to 1 */
export async function startDemo(
  scale: number,
  { size = 'standard', folder: kept }: DemoSource = {},
): Promise<DemoProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-demo-'))
  // Root would store the data elsewhere if others could not enter, and find those of an earlier run there.
  chmodSync(folder, 0o755)
  const args = ['demo', '--json', '--port', '0', '--size', size, '--scale', String(scale)]
  if (kept !== undefined) args.push('--data-dir', kept)
  const demo = launch(args, { cwd: folder })
  const ready = await readyLine(demo, size === 'large' ? LARGE_START_MS : START_MS)
  const { origin } = new URL(ready.url)
  const base = `${origin}/console/o/${ready.org_id}`
  return {
    base,
    origin,
    org_id: ready.org_id,
    signIn: async (browser, { width = 1280, height = 800, locale = 'en-GB' } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        locale,
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      await signInAt(page, base, ready)
      return page
    },
    close: async () => {
      demo.child.kill('SIGTERM')
      await demo.ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function readyLine(demo: ReturnType<typeof launch>, limitMs: number): Promise<Ready> {
  const deadline = performance.now() + limitMs
  while (performance.now() < deadline) {
    const line = demo.stdout().split('\n')[0] ?? ''
    if (line.endsWith('}')) return JSON.parse(line) as Ready
    if (demo.child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`The demo did not start: ${demo.stderr()}`)
}
