/** The scales and colors of the console are those of tokens.css, and its colors can be read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')
const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const FILES = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
const SHEETS = FILES.filter((path) => path.endsWith('.css') && !path.endsWith('tokens.css')).map(
  (path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }),
)
/** The previews of notifications look like phones, not like the console. */
const PICTURES = ['push.module.css']

type Rule = { path: string; name: string; value: string }

const rules: Rule[] = SHEETS.flatMap(({ path, text }) =>
  [...text.matchAll(/^\s*([a-z-]+):\s*([^;{}]+);/gm)].map(([, name = '', value = '']) => ({
    path,
    name,
    value,
  })),
)
const where = ({ path, name, value }: Rule) => `${path}: ${name}: ${value}`

it('sizes of text are those of the scale', () => {
  const sizes = rules.filter(({ name }) => name === 'font-size')
  expect(sizes.length).toBeGreaterThan(40)
  const isRoot = ({ path, value }: Rule) => path.endsWith('base.css') && value === '14px'
  const others = sizes.filter((rule) => !rule.value.startsWith('var(--text-') && !isRoot(rule))
  expect(others.map(where)).toEqual([])
})

it('spaces are those of the scale', () => {
  const spaces = rules.filter(({ name }) => /^(padding|margin|(row-|column-)?gap)(-|$)/.test(name))
  expect(spaces.length).toBeGreaterThan(200)
  const literal = /(?<![\w-])-?[\d.]+(rem|em|px)\b/
  const others = spaces.filter(
    ({ value }) => literal.test(value.replaceAll(/calc\(.*\)/g, '')) && value !== '-1px',
  )
  expect(others.map(where)).toEqual([])
})

it('colors have a role', () => {
  const others = rules.filter(
    ({ path, value }) =>
      /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i.test(value) &&
      !PICTURES.some((name) => path.endsWith(name)),
  )
  expect(others.map(where)).toEqual([])
})

it('every variable that is used exists', () => {
  const sources = FILES.filter(
    (path) => /\.(css|tsx?)$/.test(path) && !path.includes('.test.'),
  ).map((path) => readFileSync(join(SOURCES, path), 'utf8'))
  const all = sources.join('\n')
  const used = new Set([...all.matchAll(/var\((--[a-z\d-]+)\)/g)].map(([, name = '']) => name))
  const missing = [...used].filter((name) => !new RegExp(`${name}['"\\]]*:`).test(all))
  expect(missing).toEqual([])
})

const SURFACES = ['page', 'surface', 'surface-2', 'surface-3']
/** Text on a background, for each combination that the console has. */
const PAIRS: readonly (readonly [text: string, surface: string])[] = [
  ...SURFACES.flatMap((surface) => [['text', surface] as const, ['text-2', surface] as const]),
  ...['page', 'surface', 'surface-2'].map((surface) => ['accent', surface] as const),
  ...['success', 'warning', 'danger', 'info', 'neutral'].flatMap((role) => [
    [role, `${role}-surface`] as const,
    [role, 'surface'] as const,
  ]),
  ['accent-strong', 'accent-surface'],
  ['text', 'accent-surface'],
  ['text-2', 'accent-surface'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['page', 'text'],
  ['menu-text', 'menu'],
  ['menu-text', 'menu-hover'],
  ['menu-text-2', 'menu'],
  ['menu-accent', 'menu-current'],
  ['on-menu-accent', 'menu-accent'],
]
const SERIES = [1, 2, 3, 4, 5, 6].map((number) => `series-${number}`)
/** Marks and the borders of controls need less than text (WCAG 1.4.11). */
const MARKS = [...SERIES, 'line-strong', 'success', 'warning', 'danger', 'info']

it.each(['light', 'dark'] as const)('text and marks can be read in the %s theme', (theme) => {
  const faults = [
    ...PAIRS.filter(([text, surface]) => contrast(text, surface, theme) < 4.5),
    ...MARKS.filter((mark) => contrast(mark, 'surface', theme) < 3).map((mark) => [mark]),
  ]
  expect(faults).toEqual([])
})

function contrast(one: string, other: string, theme: 'light' | 'dark'): number {
  const [dark = 0, light = 0] = [luminance(one, theme), luminance(other, theme)].sort(
    (a, b) => a - b,
  )
  return (light + 0.05) / (dark + 0.05)
}

/** Relative luminance as WCAG defines it. */
function luminance(token: string, theme: 'light' | 'dark'): number {
  const pattern = new RegExp(`--${token}: light-dark\\(#([\\da-f]{6}), #([\\da-f]{6})\\)`)
  const hex = pattern.exec(TOKENS)?.[theme === 'light' ? 1 : 2]
  if (hex === undefined) throw new Error(`tokens.css has no color ${token}`)
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
