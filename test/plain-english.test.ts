/**
 * Keeps a private dialect out of the product: words that users, operators and developers do not search for,
 * because the field has other terms, and British spelling next to American. docs/glossary.md has the terms.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'
import { commentsIn, type Prose, sentencesIn } from './support/prose.ts'
import { readSources } from './support/source.ts'
import { titlesIn } from './support/test-titles.ts'

type Word = { pattern: RegExp; instead: string }

const WORDS: readonly Word[] = [
  { pattern: /\btold\b|\btells\b/i, instead: 'reported, returned, shown' },
  { pattern: /\b(?:is|are|was|were|be|stays|goes) away\b/i, instead: 'unavailable, offline' },
  { pattern: /\b(?:whoever|whomever)\b/i, instead: 'anyone who' },
  { pattern: /\bnobody(?:'s|’s)?\b/i, instead: 'no one, none' },
  { pattern: /\bsomebody(?:'s|’s)?\b/i, instead: 'someone, a user' },
  { pattern: /\banew\b|\bonce more\b/i, instead: 'again' },
  { pattern: /\bin vain\b/i, instead: 'without success' },
  { pattern: /\bbesides?\b/i, instead: 'also, next to' },
  {
    pattern: /\b(?:is|are|was|were) of (?:a|an|the|its|their|this|that)\b/i,
    instead: 'belongs to',
  },
  { pattern: /\bso (?:many|long|often)\b(?! as| that)/i, instead: 'the number of, for this long' },
  { pattern: /\b(?:meanwhile|lately)\b/i, instead: 'in the meantime, recently' },
  { pattern: /\b(?:learnt|mend(?:s|ed|ing)?)\b/i, instead: 'learned, repair' },
  { pattern: /\b(?:in force)\b/i, instead: 'in effect, applied' },
  { pattern: /\b(?:as it is found|may be any|what is old)\b/i, instead: 'unchanged, any, expired' },
  {
    pattern:
      /\b\w*(?:organis(?:e|ation)|recognis|normalis|summaris|initialis|serialis|authoris|minimis|optimis(?:e|ation))\w*|\b(?:behaviours?|colours?|favour\w*|neighbours?|centres?|catalogues?|licences?|enrol(?:s|ment|ments)?|labelled|cancelled|cancelling|modelled|analyse[sd]?|grey)\b/i,
    instead: 'the American spelling',
  },
]

/** Sentences that do not stand by themselves, at the beginning of a comment. */
const FRAGMENT: Word = {
  pattern:
    /^\*?\s*(?:What (?:is|are|was|the|a|an|has|it|one)|Whose|Who|Of (?:a|an|the|what)|How (?:many|long|often|much))\b/,
  instead: 'a sentence or a noun phrase',
}

/** Words that are good English at times. In comments and names of tests, their number may only fall. */
const LIMITED: readonly { pattern: RegExp; max: number }[] = [
  { pattern: /\bwhatever\b/gi, max: 29 },
  { pattern: /\bwhose\b/gi, max: 208 },
  { pattern: /\bof (?:its|their|his) own\b/gi, max: 40 },
  { pattern: /\bat once\b/gi, max: 2 },
  { pattern: /\bby (?:itself|themselves)\b/gi, max: 11 },
  { pattern: /\b(?:asked|asks|kept|noted|remembered|made|given)\b/gi, max: 102 },
]

const faultsIn = (prose: readonly Prose[], words: readonly Word[]): string[] =>
  prose.flatMap(({ place, text }) =>
    words
      .map(({ pattern, instead }) => ({ found: pattern.exec(withoutNames(text))?.[0], instead }))
      .filter(({ found }) => found !== undefined)
      .map(({ found, instead }) => `${place} "${found}": ${instead}`),
  )

/** Without names in backquotes and placeholders, which code or the contract fixes. */
const withoutNames = (text: string): string => text.replaceAll(/`[^`\n]*`|\{\w+\}/g, '')

const PRODUCT = /^(?:src|console\/src|sdk|examples|emulators|demo|world)\//
const sources = readSources()

describe('plain English', () => {
  it('in the texts that the program prints, answers and shows', () => {
    const product = sources.filter(({ path, isTest }) => PRODUCT.test(path) && !isTest)
    const sentences = product.flatMap(({ path, text }) => sentencesIn(path, text))
    expect(sentences.length).toBeGreaterThan(1000)
    expect(faultsIn(sentences, WORDS)).toEqual([])
  })

  it('in the documents', () => {
    expect(faultsIn(documents(), WORDS)).toEqual([])
  })

  it('in comments and names of tests', () => {
    const comments = sources.flatMap(({ path, text }) => commentsIn(path, text))
    const titles = sources
      .filter(({ isTest }) => isTest)
      .flatMap(({ path, text }) => titlesIn(text).map((title) => ({ place: path, text: title })))
    expect(comments.length).toBeGreaterThan(1000)
    expect(faultsIn([...comments, ...titles], WORDS)).toEqual([])
    expect(faultsIn(comments, [FRAGMENT])).toEqual([])
    const all = [...comments, ...titles].map(({ text }) => text).join('\n')
    const counted = LIMITED.map(({ pattern, max }) => ({
      pattern,
      max,
      count: all.match(pattern)?.length ?? 0,
    }))
    expect(counted.filter(({ count, max }) => count > max)).toEqual([])
  })

  it('is recognized in literals, templates and JSX, and not in SQL', () => {
    const text = [
      "import a from 'some package'",
      "const b = 'The order was stored' // It is a text.",
      'const c = `${b} twice today`',
      'const d = sql`select id from orders`',
      'const e = <p>No orders yet</p>',
    ].join('\n')
    expect(sentencesIn('a.tsx', text)).toEqual([
      { place: 'a.tsx:2', text: 'The order was stored' },
      { place: 'a.tsx:3', text: ' twice today' },
      { place: 'a.tsx:5', text: 'No orders yet' },
    ])
    expect(commentsIn('a.tsx', text)).toEqual([{ place: 'a.tsx:2', text: 'It is a text.' }])
  })
})

/** The paragraphs of all documents without code. */
function documents(): Prose[] {
  const root = packageRoot()
  const FOLDERS = ['.', 'docs', 'eval', 'bench', 'sdk', 'emulators', 'examples']
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/node_modules|^glossary/.test(name))
      .map((name) => join(folder, name)),
  )
  return names.flatMap((name) => {
    const text = readFileSync(join(root, name), 'utf8')
      .replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''))
      .replaceAll(/\]\([^)]*\)/g, '')
    return text.split('\n').map((line, index) => ({ place: `${name}:${index + 1}`, text: line }))
  })
}
