/** What axe finds on a page, and what it cannot decide: contrast over pictures, gradients and signs, for example. */
import axeCore from 'axe-core'
import type { Page } from 'playwright-core'

const RULES: Readonly<Record<'light' | 'dark', object>> = {
  light: {},
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
}
/** Width of a phone. */
const NARROW_PX = 390

type Item = { id: string; target: unknown; why: string; where: string }

/** Violations and undecided items in both themes. */
export async function axeItems(page: Page): Promise<Item[]> {
  const items: Item[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await nextFrames(page)
    items.push(...(await itemsOf(page, RULES[colorScheme], colorScheme)))
  }
  await page.emulateMedia({ colorScheme: 'light' })
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

async function itemsOf(page: Page, rules: object, where: string): Promise<Item[]> {
  const options = JSON.stringify({ resultTypes: ['violations', 'incomplete'], ...rules })
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeCore.source)
  const results = await page.evaluate<axeCore.Result[]>(
    `axe.run(document, ${options})
      .then(({ violations, incomplete }) => [...violations, ...incomplete])`,
  )
  return results.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => ({
      id,
      target,
      why: [...any, ...all, ...none].map(({ message }) => message).join('; '),
      where,
    })),
  )
}

const nextFrames = async (page: Page): Promise<void> =>
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  )
