import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/app/version.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { STAGES } from './build.js'
import { bundleProgram } from './bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-bundle-'))
const chunks = join(folder, 'chunks')
const main = join(folder, 'main.js')
let metafile: Metafile
beforeAll(() => {
  mkdirSync(chunks)
  writeFileSync(join(chunks, 'of-an-earlier-build.js'), '')
  metafile = bundleProgram(packageRoot(), folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the bundled program', () => {
  it('loads no package but the parser of the command line for help and the version', () => {
    expect(packagesIn(loadedWith(relative(packageRoot(), main)))).toEqual(['commander'])
    expect(packagesIn(Object.keys(metafile.outputs))).toContain('fastify')
  })

  it('contains nothing that could change without being compiled', () => {
    const inputs = STAGES.find(({ name }) => name === 'program')?.inputs ?? []
    const covered = [...inputs, 'node_modules']
    const others = Object.keys(metafile.inputs).filter(
      (path) => !covered.some((input) => path.startsWith(`${input}/`)),
    )
    expect(others).toEqual([])
  })

  // The bundle would contain their default export only, and every named one would be undefined.
  it('imports no bundled CommonJS module on demand', () => {
    const onDemand = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [path] : [])),
    )
    expect(onDemand.length).toBeGreaterThan(10)
    expect(onDemand.filter((path) => metafile.inputs[path]?.format === 'cjs')).toEqual([])
  })

  it('runs', () => {
    const run = (...args: string[]) => execFileSync(process.execPath, [main, ...args]).toString()
    expect(run('--version')).toBe(`${VERSION}\n`)
    expect(run('key', 'create', '--help')).toContain('--type <type>')
    expect(statSync(main).mode & 0o111).toBe(0o111)
  })

  it('has no files of an earlier build, and a source map for each of its own', () => {
    const names = readdirSync(chunks)
    expect(names).not.toContain('of-an-earlier-build.js')
    const maps = names.filter((name) => name.endsWith('.js.map'))
    expect(maps.length).toBe(names.length / 2)
  })
})

/** The file, and those that it imports before it runs. */
function loadedWith(start: string): string[] {
  const seen = new Set([start])
  for (const path of seen) {
    for (const { path: imported, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') seen.add(imported)
    }
  }
  return [...seen]
}

/** Names of the packages in files of the bundle, and of those that they import from node_modules. */
function packagesIn(files: string[]): string[] {
  const names = files.flatMap((path) => {
    const { inputs = {}, imports = [] } = metafile.outputs[path] ?? {}
    const bundled = Object.keys(inputs).map(
      (input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1],
    )
    const external = imports.filter((each) => each.external && !isBuiltIn(each.path))
    return [...bundled, ...external.map(({ path: name }) => name)]
  })
  return [...new Set(names.filter((name) => name !== undefined))]
}

const isBuiltIn = (name: string): boolean => builtinModules.includes(name.replace(/^node:/, ''))
