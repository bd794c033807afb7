/** Finds the faults of a page that a reader would notice: tables that are cut off, broken words, and texts with faults. */
import type { Page } from 'playwright-core'
import { nextFrames } from './axe-items.ts'
import { settle } from './tour.ts'

export const WIDTHS = [1280, 1440, 1920] as const

/** Runs in the page. A word of letters and digits must be on one line, and a column as wide as its header. */
const TABLE_FAULTS = `(() => {
  const faults = []
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) &&
    !element.closest('.visually-hidden, [aria-hidden=true], pre')
  const linesOf = (node, from, to) => {
    const range = document.createRange()
    range.setStart(node, from)
    range.setEnd(node, to)
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top / 4))
    return new Set(tops).size
  }
  for (const table of document.querySelectorAll('main table')) {
    const frame = table.closest('.table-frame') ?? table.parentElement
    const name = frame.getAttribute('aria-label') ?? 'table'
    if (!isShown(table)) continue
    if (frame.scrollWidth > frame.clientWidth + 1) {
      faults.push(name + ' is cut off: ' + frame.scrollWidth + ' > ' + frame.clientWidth)
    }
    for (const cell of table.querySelectorAll('th, td')) {
      const { paddingLeft, paddingRight, fontSize } = getComputedStyle(cell)
      const inner = cell.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
      const hidden = cell.querySelector(':scope > .visually-hidden')?.innerText.length ?? 0
      if (cell.innerText.trim().length - hidden > 4 && inner < 2 * parseFloat(fontSize)) {
        faults.push(name + ' starves a column: ' + cell.innerText.slice(0, 30))
      }
      if (cell.tagName === 'TH' && cell.scrollWidth > cell.clientWidth + 1) {
        faults.push(name + ' cuts off a header: ' + cell.innerText)
      }
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const node = texts.currentNode
        if (!isShown(node.parentElement)) continue
        for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}_]{2,}/gu)) {
          if (linesOf(node, index, index + word.length) > 1) faults.push(name + ' breaks ' + word)
        }
      }
    }
  }
  return [...new Set(faults)]
})()`

/** The faults of the tables of a page in windows of three widths. */
export async function tableFaults(page: Page): Promise<string[]> {
  const before = page.viewportSize()
  const faults: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await nextFrames(page)
    const found = await page.evaluate<string[]>(TABLE_FAULTS)
    faults.push(...found.map((fault) => `${fault} (at ${width} px)`))
  }
  if (before) await page.setViewportSize(before)
  return faults
}

/** Runs before a page. Shifts after a click or a key are expected. */
export const OBSERVE_SHIFTS = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources.map(({ node }) => node?.className || node?.nodeName).join(', ')
      if (!hadRecentInput) window.shifts.push({ value, moved })
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** A fifth of what Google calls good. */
const SHIFT_MAX = 0.02

type Shift = { value: number; moved: string }

/** What moved while the page was loaded. Call before the window changes its size. */
export async function shiftFaults(page: Page): Promise<string[]> {
  const shifts = await page.evaluate<Shift[]>('window.shifts')
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  const largest = shifts.toSorted((a, b) => b.value - a.value)[0]
  return sum < SHIFT_MAX ? [] : [`moves by ${sum.toFixed(3)}, mostly ${largest?.moved}`]
}

/** The text of a page without code and what people sent. */
const TEXT = `(() => {
  const copy = []
  let last
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { parentElement: parent, data } = texts.currentNode
    const block = parent.closest('td, th, div, p, li, dd, dt, span, h2, h3, summary')
    if (block !== last) copy.push(' | ')
    last = block
    if (parent.closest('pre, code, textarea, option') === null) copy.push(data)
  }
  return copy.join('').replace(/\\s+/g, ' ')
})()`

const MINUTES_MAX = 120
const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['plural', /(?<![\d.,:–-] ?)\b1 (?!has\b|is\b|was\b|as\b|this\b|plus\b|ms\b)[a-z]+(?<!s)s\b/g],
  ['not a word', /(?<!of )\bundefined\b|\bNaN\b|\bnull\b|\[object|Invalid Date/g],
  ['ambiguous date', /\b\d{1,2}\/\d{1,2}\/\d{2,4}\b|\b\d{1,2}\.\d{1,2}\.\d{2,4}\b(?!\.)/g],
  ['German', /\b(vor \d|gestern|heute|Uhr|Tagen?|Stunden?|Minuten?|Okt\.?|Dez\.?|Mai|Mär)\b/g],
]

/** The window, the heading and, for pages of the menu, the menu have one name. */
export async function nameFaults(page: Page): Promise<string[]> {
  const heading = await page.locator('main h1').first().textContent()
  const title = (await page.title()).replace(/^\(\d+\) /, '')
  const menu = await page.evaluate<string | null>(MENU_NAME)
  return [title.replace(/ · Vigil$/, ''), ...(menu === null ? [] : [menu])]
    .filter((name) => name !== heading)
    .map((name) => `“${name}” has the heading “${heading}”`)
}

/** The name of this page in the menu, without the number next to it. */
const MENU_NAME = `(() => {
  const link = [...document.querySelectorAll('.menu li a')]
    .find(({ pathname }) => pathname === location.pathname)
  const texts = [...(link?.childNodes ?? [])].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
  return link === undefined ? null : texts.map(({ data }) => data).join('').trim()
})()`

/** Leaves the page and returns, as links do. The focus belongs on its heading, where screen readers begin. */
export async function focusFaults(page: Page, other: string): Promise<string[]> {
  for (const move of [`history.pushState(null, '', ${JSON.stringify(other)})`, 'history.back()']) {
    await page.evaluate(`document.querySelector('main h1').dataset.before = ''; ${move}`)
    await page.locator('main h1:not([data-before])').first().waitFor()
    await settle(page)
  }
  const isThere = await page
    .waitForFunction(`document.activeElement?.matches('main h1')`, undefined, { timeout: FOCUS_MS })
    .then(
      () => true,
      () => false,
    )
  return isThere ? [] : ['does not move the focus to its heading']
}

const FOCUS_MS = 5000

/** Bad plurals, minutes that should be hours, ambiguous dates, and values that are no words. */
export async function textFaults(page: Page): Promise<string[]> {
  const text = await page.evaluate<string>(TEXT)
  return textFaultsOf(text)
}

export function textFaultsOf(text: string): string[] {
  const around = (index: number) => text.slice(Math.max(0, index - 25), index + 35)
  const found = PATTERNS.flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => `${what}: ${around(index)}`),
  )
  for (const match of text.matchAll(/\b([\d.,]*\d) min(utes)?\b/g)) {
    const minutes = Number((match[1] ?? '').replaceAll(/[.,]/g, ''))
    if (minutes > MINUTES_MAX) found.push(`minutes: ${around(match.index)}`)
  }
  return found
}
