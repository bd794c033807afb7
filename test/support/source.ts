/** The source of this program as text, for the tests that read it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'

export type Import = {
  /** Path from the root for a relative one, the name of the package otherwise. */
  from: string
  isType: boolean
  /** Names that exist at run time; empty when only types are imported or nothing is named. */
  values: string[]
}

export type SourceFile = {
  /** From the root of the package, with slashes: `src/app.ts`. */
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
  'demo',
  'scripts',
  'bench',
  'eval',
  'sdk',
  'test',
]

export function readSources(): SourceFile[] {
  const root = packageRoot()
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.tsx?$/.test(path))
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

const FROM = /^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s+'([^']+)'/gm
const BARE = /^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(path: string, text: string): Import[] {
  const named = [...text.matchAll(FROM)].map(([, type, clause = '', from = '']) => ({
    from: resolve(path, from),
    isType: type !== undefined,
    values: type === undefined ? valuesIn(clause) : [],
  }))
  const bare = [...text.matchAll(BARE)].map(([, statement, call]) => ({
    from: resolve(path, statement ?? call ?? ''),
    isType: false,
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
