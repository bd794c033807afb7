/**
 * Checks the code of the clients for servers in the documents: it is shown in both languages, can be parsed,
 * imports what it uses, and calls only what the clients have.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { OPERATIONS } from '../../sdk/server-ts/src/generated/operations.ts'
import * as typescriptClient from '../../sdk/server-ts/src/index.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { snake } from '../sdk/python.ts'
import { missingPython } from './by-python.ts'
import { blocksOf } from './examples.ts'

const ROOT = packageRoot()
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const TEAMS = readdirSync(join(ROOT, 'docs')).filter((name) => /^for-\w+-teams\.md$/.test(name))
const TYPESCRIPT = 'sdk/server-ts/README.md'
const PYTHON = 'sdk/server-python/README.md'
const DOCUMENTS = [
  TYPESCRIPT,
  PYTHON,
  'sdk/device-js/README.md',
  ...TEAMS.map((name) => join('docs', name)),
]

type Snippet = { section: string; code: string }

const names = Object.keys(OPERATIONS)
const [, listed = ''] =
  /__all__ = \[(.*?)\]/s.exec(textOf('sdk/server-python/vigil_client/__init__.py')) ?? []
const LANGUAGES = {
  js: {
    exported: Object.keys(typescriptClient),
    methods: names,
    imported: /import \{([^}]+)\} from '@vigil\/server'/g,
  },
  python: {
    exported: [...listed.matchAll(/"(\w+)"/g)].map(([, name = '']) => name),
    methods: names.map(snake),
    imported: /from vigil_client import (.+)/g,
  },
} as const
type Language = keyof typeof LANGUAGES

/** Snippets of a language that use the client; those of other packages do not count. */
function snippetsOf(markdown: string, language: Language): Snippet[] {
  const isOfClient = (code: string) =>
    language === 'python' ||
    code.includes("'@vigil/server'") ||
    names.some((name) => code.includes(`.${name}(`))
  return markdown.split(/^## /m).flatMap((text) => {
    const section = text.slice(0, text.indexOf('\n'))
    return blocksOf(text)
      .filter(({ info, text: code }) => info === language && isOfClient(code))
      .map(({ text: code }) => ({ section, code }))
  })
}

const sectionsWith = (file: string, language: Language): string[] => [
  ...new Set(snippetsOf(textOf(file), language).map(({ section }) => section)),
]

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(',').map((each) => each.trim()))

/** @returns names that a document uses without having imported them, and those that the client does not have */
function faultsOf(markdown: string, language: Language): string[] {
  const { exported, methods, imported } = LANGUAGES[language]
  let above = ''
  return snippetsOf(markdown, language).flatMap(({ section, code }) => {
    above += `${code}\n`
    const known = namesIn(above, imported)
    const missing = exported.filter(
      (name) => new RegExp(`\\b${name}\\(`).test(code) && !known.includes(name),
    )
    const unknown = namesIn(code, imported).filter((name) => !exported.includes(name))
    const calls = [...code.matchAll(/\bvigil\.(\w+)\(/g)].map(([, name = '']) => name)
    return [
      ...missing.map((name) => `${section}: ${name} is not imported`),
      ...unknown.map((name) => `${section}: the client does not export ${name}`),
      ...calls
        .filter((name) => !methods.includes(name))
        .map((name) => `${section}: the client has no method ${name}`),
    ]
  })
}

describe('code of the clients for servers', () => {
  it.each(DOCUMENTS.slice(2))('%s shows it in both languages', (file) => {
    expect(sectionsWith(file, 'python')).toEqual(sectionsWith(file, 'js'))
  })

  it('is shown in the same sections of both descriptions', () => {
    expect(sectionsWith(TYPESCRIPT, 'js').length).toBeGreaterThan(4)
    expect(sectionsWith(PYTHON, 'python')).toEqual(sectionsWith(TYPESCRIPT, 'js'))
  })

  it.each(DOCUMENTS)('%s imports what it uses and calls only what exists', (file) => {
    const languages = ['js', 'python'] as const
    expect(languages.flatMap((language) => faultsOf(textOf(file), language))).toEqual([])
  })

  it('is reported when it uses what is not imported or does not exist', () => {
    const text =
      '## A\n```python\nfrom vigil_client import Vgil\nVigil().x()\nvigil.create()\n```\n'
    expect(faultsOf(text, 'python')).toEqual([
      'A: Vigil is not imported',
      'A: the client does not export Vgil',
      'A: the client has no method create',
    ])
  })

  it.each(DOCUMENTS)('%s has no mistake of syntax in it', (file) => {
    const mistakes = snippetsOf(textOf(file), 'js').flatMap(({ section, code }) =>
      parseSync('snippet.mjs', code).errors.map(({ message }) => `${section}: ${message}`),
    )
    expect(mistakes).toEqual([])
    if (missingPython() !== undefined) return
    const program =
      'import json, sys; [compile(code, "-", "exec") for code in json.load(sys.stdin)]'
    const input = JSON.stringify(snippetsOf(textOf(file), 'python').map(({ code }) => code))
    expect(spawnSync('python3', ['-c', program], { input, encoding: 'utf8' }).stderr).toBe('')
  })
})
