/** The source files of the repository as text, with their imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'

export type Import = {
  /** Path from the root for a relative import, the name of the package for others. */
  from: string
  isType: boolean
  /** Whether it is an `import()`, which loads the file when it is reached. */
  isOnDemand: boolean
  /** Imported values; empty for imports of types only and for imports without names. */
  values: string[]
}

export type SourceFile = {
  /** Path from the root of the package with slashes: `src/app/index.ts`. */
  path: string
  text: string
  lines: number
  isTest: boolean
  imports: Import[]
}

const FOLDERS = [
  'src',
  'console/src',
  'emulators',
  'world',
  'demo',
  'scripts',
  'bench',
  'eval',
  'sdk',
  'examples',
  'test',
]

/** Written from docs/openapi.json, with the length and the words of the document. */
const GENERATED = /^sdk\/[^/]+\/src\/generated\//

export function readSources(): SourceFile[] {
  const root = packageRoot()
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.tsx?$/.test(path) && !GENERATED.test(path))
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')))
}

export function readSource(path: string, text: string): SourceFile {
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    isTest: /\.(test|console)\.tsx?$/.test(path),
    imports: importsOf(path, text),
  }
}

/** Text of a file without comments. */
export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '')

const FROM = /^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s+'([^']+)'/gm
const BARE = /^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(path: string, text: string): Import[] {
  const named = [...text.matchAll(FROM)].map(([, type, clause = '', from = '']) => ({
    from: resolve(path, from),
    isType: type !== undefined,
    isOnDemand: false,
    values: type === undefined ? valuesIn(clause) : [],
  }))
  const bare = [...text.matchAll(BARE)].map(([, statement, call]) => ({
    from: resolve(path, statement ?? call ?? ''),
    isType: false,
    isOnDemand: call !== undefined,
    values: [],
  }))
  return [...named, ...bare]
}

const valuesIn = (clause: string): string[] =>
  clause
    .replaceAll(/[{}]/g, ',')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))

const resolve = (path: string, from: string): string =>
  from.startsWith('.') ? normalize(join(dirname(path), from)).replaceAll('\\', '/') : from
