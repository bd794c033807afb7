import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'
import { buildSdk } from './build-sdk.ts'

/** Limit for the size of the script that a page loads. */
const BROWSER_GZIP_BYTES_MAX = 6 * 1024

describe('the packages for browsers and edge devices', () => {
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

  it.each(['browser', 'edge-agent'])(
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
      expect([...named].filter(([, file]) => !files.includes(file ?? ''))).toEqual([])
    },
  )

  it.each([
    ['browser/vigil-rum.d.ts', 'init'],
    ['edge-agent/index.d.ts', 'createEdgeAgent'],
  ])('%s declares %s and imports nothing', (file, name) => {
    expect(read(file)).toContain(`export declare function ${name}(`)
    expect(read(file)).not.toMatch(/\bimport\b.*\bfrom\b/)
  })

  it('the edge agent runs as a program', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(target, 'edge-agent', 'bin.js'),
      '--help',
    ])
    expect(stdout).toContain('--device')
  })
})
