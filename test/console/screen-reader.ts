/** The steps of docs/console-screen-reader.md, and what is read out: from the accessibility tree that browsers give to screen readers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'

type Step = { act: string; readOut: string }
export type Job = { name: string; steps: Step[] }

export function readJobs(): Job[] {
  const text = readFileSync(join(packageRoot(), 'docs', 'console-screen-reader.md'), 'utf8')
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      name: section.split('\n')[0] ?? '',
      steps: [...section.matchAll(/^\| ([a-z].*?) \| (.*?) \|$/gm)].map(
        ([, act = '', readOut = '']) => ({ act, readOut }),
      ),
    }))
}

/** @param words for what the document names in italics */
export async function follow(page: Page, steps: readonly Step[], words: Record<string, string>) {
  for (const { act, readOut } of steps) {
    const target = await perform(page, act, words)
    const expected = patternOf(readOut)
    await expect
      .poll(async () => (await readBy(page, target)).find((line) => expected.test(line)), {
        message: `${act}: ${readOut}`,
      })
      .toBeDefined()
  }
}

async function perform(page: Page, act: string, words: Record<string, string>) {
  const [, verb, rest = ''] = /^(press|type|choose|go to) (.*)$/.exec(act) ?? []
  const plain = rest
    .replace(/^`(.*)`$/, '$1')
    .replace(/^\*(.*)\*$/, (_, name: string) => words[name] ?? '')
  if (verb === 'press') await page.keyboard.press(plain)
  else if (verb === 'type') await page.keyboard.type(plain)
  else if (verb === 'choose') await page.locator(':focus').selectOption({ label: plain })
  else if (verb === 'go to') return await find(page, plain)
  else throw new Error(`The step is not known: ${act}`)
  return undefined
}

/** Roles without a name from their content. */
const NAMELESS = ['term', 'definition']

async function find(page: Page, words: string): Promise<Locator> {
  const [, role = '', name = ''] = /^(\w+) "(.*)"$/.exec(words) ?? []
  const dialog = page.locator('dialog[open]')
  const scope = (await dialog.count()) > 0 ? dialog : page.getByRole('main')
  const named = NAMELESS.includes(role) ? {} : { name: patternOf(name) }
  const all = scope.getByRole(role as 'button', named)
  const found = (NAMELESS.includes(role) ? all.filter({ hasText: name }) : all).first()
  await found.waitFor()
  await found.focus()
  return found
}

/** The focus, the option that is chosen in it, the dialog around it, the target, and what live regions say. */
async function readBy(page: Page, target: Locator | undefined): Promise<string[]> {
  const places = [
    page.locator(':focus'),
    page.locator('dialog[open] [role=option][aria-selected=true]'),
    page.locator('dialog[open]:has(:focus)'),
    ...(target ? [target] : []),
  ]
  const lines: string[] = []
  for (const place of places) {
    if ((await place.count()) > 0) lines.push(spoken(await place.first().ariaSnapshot()))
  }
  const live = await page.locator('[role=status], [aria-live=polite]').allInnerTexts()
  return [...lines, ...live.map((text) => `status "${text.trim()}"`)]
}

/** `- button "error" [pressed]:` as `button "error", pressed`. */
function spoken(snapshot: string): string {
  const [first = ''] = snapshot.split('\n')
  const line = first
    .replace(/^- /, '')
    .replace(/:$/, '')
    .replace(/^'(.*)'$/, '$1')
  const [, role, text] = /^(\w+): (.*)$/.exec(line) ?? []
  if (role !== undefined) return `${role} "${text}"`
  return line.replace(/ \[pressed\]/, ', pressed').replaceAll(/ \[[^\]]*\]/g, '')
}

const patternOf = (words: string): RegExp =>
  new RegExp(`^${words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`, 's')
