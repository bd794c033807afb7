import { execFile, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/app/version.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { buildSdk } from './build-sdk.ts'

/** Limit for the size of the script that a page loads. */
const BROWSER_GZIP_BYTES_MAX = 6 * 1024

/** Limit for the size of the push client in an app, which is not compressed there. */
const PUSH_BYTES_MAX = 8 * 1024

/** Limit for the file that pages load before the device is measured. */
const DEVICE_FIRST_GZIP_BYTES_MAX = 2 * 1024

/** The files or the folder of each package that are loaded. */
const CLIENTS = [
  { name: 'browser', files: ['vigil-rum.mjs'] },
  { name: 'device-js', files: ['vigil-device.mjs', 'vigil-device-signals.mjs'] },
  { name: 'edge-agent', files: ['index.js'] },
  { name: 'push-js', files: ['vigil-push.mjs'] },
  { name: 'push-kotlin', files: [join('src', 'main', 'kotlin', 'dev', 'vigil', 'push')] },
  { name: 'server-ts', files: ['index.js'] },
  { name: 'server-python', files: ['vigil_client'] },
]
/** Default: `package.json`. */
const MANIFESTS: Readonly<Record<string, string>> = {
  'push-kotlin': 'pom.xml',
  'server-python': 'pyproject.toml',
}

/** Lines after a comment must not compile. */
const PROGRAM = `
import { checkAll, createVigil, recordsOf, verifyWebhook, type CheckResult } from '@vigil/server'
const vigil = createVigil({ base_url: 'https://vigil.example.com/v1', api_key: 'sk' })
export const result: CheckResult = await vigil.createCheck({ email: 'ann@example.com' })
for await (const log of recordsOf(vigil, 'listEdgeLogs', { org_id: 'o' })) log.message.trim()
for await (const group of recordsOf(vigil, 'listEdgeErrors', { org_id: 'o' })) group.count.toFixed()
for await (const each of checkAll(vigil, [{ email: 'a' }])) {
  if (each.success) each.content.risk_score.toFixed()
}
const event = await verifyWebhook({ body: '', signature: '', secrets: [] })
if (event?.type === 'order.fraud.detected') event.data.risk.risk_score.toFixed()
// @ts-expect-error it has no pages
recordsOf(vigil, 'getCheck', { id: 'c' })
// @ts-expect-error external_order_id is missing
await vigil.createOrder({ amount_cents: 1 })
`

describe('the packages for clients', () => {
  let target: string
  beforeAll(() => {
    target = mkdtempSync(join(tmpdir(), 'vigil-sdk-'))
    buildSdk(packageRoot(), target)
  })
  afterAll(() => rmSync(target, { recursive: true }))
  const read = (...path: string[]): string => readFileSync(join(target, ...path), 'utf8')

  it.each(['vigil-rum.js', 'vigil-rum.mjs'])('%s is under 6 KB compressed', (file) => {
    expect(gzipSync(read('browser', file)).length).toBeLessThan(BROWSER_GZIP_BYTES_MAX)
  })

  it('the push client is under 8 KB minified', () => {
    const { size } = statSync(join(target, 'push-js', 'vigil-push.mjs'))
    process.stdout.write(`vigil-push.mjs: ${size} bytes minified\n`)
    expect(size).toBeLessThan(PUSH_BYTES_MAX)
  })

  it('a script tag defines VigilRum, which does nothing without a page', () => {
    const errors: unknown[] = []
    const global = { console: { error: (text: unknown) => errors.push(text) } }
    const exported: unknown = runInNewContext(
      `${read('browser', 'vigil-rum.js')};
      VigilRum.init({ base_url: 'https://vigil.example/v1', api_key: 'pk_test_1' }).log('info', 'x');
      VigilRum.init({ base_url: 'https://vigil.example/v1', api_key: 'sk_test_1' }).stop();
      VigilRum.init().view('x');
      Object.keys(VigilRum)`,
      global,
    )
    expect(exported).toEqual(['init'])
    expect(errors).toEqual([expect.stringContaining('secret key'), expect.stringContaining('pk_')])
  })

  it('the device SDK loads its large file later, and contains no request', () => {
    const first = read('device-js', 'vigil-device.mjs')
    expect(gzipSync(first).length).toBeLessThan(DEVICE_FIRST_GZIP_BYTES_MAX)
    expect(first).toContain('import("./vigil-device-signals.mjs")')
    const all = first + read('device-js', 'vigil-device-signals.mjs')
    expect(all).not.toMatch(/XMLHttpRequest|\bfetch\(|sendBeacon|WebSocket|EventSource/)
    // The address of FingerprintJS in a message, and that of SVG, are no requests.
    expect(all).not.toContain('openfpcdn')
    expect(read('device-js', 'THIRD-PARTY.md')).toMatch(/@fingerprintjs\/botd \| [\d.]+ \| MIT/)
  })

  it.each(['browser', 'device-js', 'edge-agent', 'push-js', 'server-ts'])(
    '%s contains each file that its package.json names',
    (name) => {
      const description = JSON.parse(read(name, 'package.json')) as Record<string, unknown>
      expect(description['version']).toMatch(/^\d+\.\d+\.\d+$/)
      expect(description['dependencies']).toBeUndefined()
      const { files } = description as { files: string[] }
      expect(readdirSync(join(target, name)).toSorted()).toEqual(
        [...files, 'LICENSE', 'README.md', 'package.json'].toSorted(),
      )
      const named = JSON.stringify({ ...description, files: [] }).matchAll(/"\.\/([^"]+)"/g)
      const isPublished = (path: string) =>
        files.some((file) => path === file || path.startsWith(`${file}/`))
      expect([...named].filter(([, file]) => !isPublished(file ?? ''))).toEqual([])
    },
  )

  it.each([
    ['browser/vigil-rum.d.ts', 'init'],
    ['device-js/vigil-device.d.ts', 'init'],
    ['edge-agent/index.d.ts', 'createEdgeAgent'],
    ['push-js/vigil-push.d.ts', 'createPush'],
  ])('%s declares %s and imports nothing', (file, name) => {
    expect(read(file)).toContain(`export declare function ${name}(`)
    expect(read(file)).not.toMatch(/\bimport\b.*\bfrom\b/)
  })

  it.each(CLIENTS)(
    '$name has the version and at most the size of sdk/README.md',
    ({ name, files }) => {
      const table = readFileSync(join(packageRoot(), 'sdk', 'README.md'), 'utf8')
      const row = table.split('\n').find((line) => line.startsWith(`| [${name}](`)) ?? ''
      const [, , title, version, , size] = row.split('|').map((cell) => cell.trim())
      const manifest = read(name, MANIFESTS[name] ?? 'package.json')
      const [, published] =
        /^(?:version = "|\s*"version": "| {2}<version>)([^"<]+)/m.exec(manifest) ?? []
      expect([version, published]).toEqual([VERSION, VERSION])
      for (const part of title?.replaceAll('`', '').split(':') ?? []) {
        expect(manifest).toMatch(new RegExp(`[">]${part}["<]`))
      }
      const code = files.map((each) =>
        statSync(join(target, name, each)).isDirectory()
          ? readdirSync(join(target, name, each))
              .map((file) => read(name, each, file))
              .join('')
          : read(name, each),
      )
      const bytes = code.reduce((sum, text) => sum + gzipSync(text).length, 0)
      expect(bytes).toBeLessThan(Number(size?.replace(' KB', '')) * 1024)
    },
  )

  it('the declarations of the server client are understood by the compiler of a program', () => {
    const program = mkdtempSync(join(tmpdir(), 'vigil-consumer-'))
    const installed = join(program, 'node_modules', '@vigil')
    mkdirSync(installed, { recursive: true })
    symlinkSync(join(target, 'server-ts'), join(installed, 'server'))
    writeFileSync(join(program, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(program, 'program.ts'), PROGRAM)
    const tsc = join(packageRoot(), 'node_modules', 'typescript', 'bin', 'tsc')
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ]
    const libraries = ['--lib', 'es2022,dom', '--types', '']
    const { stdout } = spawnSync(
      process.execPath,
      [tsc, ...options, ...libraries, join(program, 'program.ts')],
      { encoding: 'utf8' },
    )
    rmSync(program, { recursive: true })
    expect(stdout.replaceAll(/^.*program\.ts/gm, 'program.ts')).toBe('')
  })

  it('the edge agent runs as a program', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(target, 'edge-agent', 'bin.js'),
      '--help',
    ])
    expect(stdout).toContain('--device')
  })
})
