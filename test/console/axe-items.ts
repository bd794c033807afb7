/** What axe finds on a page, and what it cannot decide: contrast over pictures, gradients and signs, for example. */
import axeCore from 'axe-core'
import type { Page } from 'playwright-core'

type Kind = 'violations' | 'incomplete'

/** All rules in the light theme; in the dark one those that a theme can break. */
const RULES: Readonly<Record<'light' | 'dark', object>> = {
  light: {},
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
}
/** Width of a phone. */
const NARROW_PX = 390

type Item = { id: string; target: unknown; why: string; where: string }

const ALL: readonly Kind[] = ['violations', 'incomplete']

/** Violations and undecided items in both themes. */
export async function axeItems(page: Page, kinds = ALL): Promise<Item[]> {
  const items: Item[] = []
  const wasDark = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await nextFrames(page)
    items.push(...(await itemsOf(page, RULES[colorScheme], colorScheme, kinds)))
  }
  await page.emulateMedia({ colorScheme: wasDark === true ? 'dark' : 'light' })
  return items
}

/** Controls that are too small for a finger on a phone, and too close to others (WCAG 2.5.8). */
export async function smallTargets(page: Page): Promise<Item[]> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: NARROW_PX, height: 844 })
  await nextFrames(page)
  const rules = { runOnly: { type: 'rule', values: ['target-size'] } }
  const items = await itemsOf(page, rules, `${NARROW_PX} px`)
  if (before) await page.setViewportSize(before)
  return items
}

/** Pages have no frames, so axe runs in the page; its source is half a megabyte, which is sent once per document. */
async function itemsOf(
  page: Page,
  rules: object,
  where: string,
  kinds: readonly Kind[] = ALL,
): Promise<Item[]> {
  const options = JSON.stringify({ resultTypes: kinds, ...rules })
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeCore.source)
  const found = await page.evaluate<Record<Kind, axeCore.Result[]>>(
    `axe.run(document, ${options})
      .then(({ violations, incomplete }) => ({ violations, incomplete }))`,
  )
  return kinds
    .flatMap((kind) => found[kind])
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, any, all, none }) => ({
        id,
        target,
        why: [...any, ...all, ...none].map(({ message }) => message).join('; '),
        where,
      })),
    )
}

/** Waits until the page has reacted to its new size or theme. */
export const nextFrames = async (page: Page): Promise<void> =>
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  )
