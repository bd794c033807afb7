/** The rules lab: a draft is made, replayed, applied and rolled back, as a user does it. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { expectAccessible, expectFits, HOSTILE, type Shop, useDesk } from './desk.ts'

const desk = useDesk()

const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

type Scored = { order: { id: string }; risk: { risk_score: number; flagged_for_review: boolean } }

async function send({ keys }: Shop, who: string, place: object): Promise<Scored> {
  const body = newOrder({ external_id: who, ...place })
  const path = '/v1/orders'
  const answer = await desk().call<Scored>({ method: 'POST', path, key: keys.live_secret, body })
  expect(answer.status).toBe(200)
  return answer.body.content
}

/** Three customers who were in Berlin and then, at once, in Tokyo; one journey was a fraud. */
async function createShop(): Promise<{ shop: Shop; flagged: Scored[] }> {
  const shop = await desk().createShop()
  const flagged: Scored[] = []
  for (const who of ['ann', 'bob', 'cem']) {
    await send(shop, who, BERLIN)
    flagged.push(await send(shop, who, TOKYO))
  }
  expect(flagged.map(({ risk }) => risk.flagged_for_review)).toEqual([true, true, true])
  const decide = async (index: number, decision: 'confirmed_fraud' | 'legitimate') => {
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const name = flagged[index]?.order.id ?? ''
    await desk().services.reviews.decide(name, owner, { decision, by: 'somebody' })
  }
  await decide(0, 'confirmed_fraud')
  await decide(1, 'legitimate')
  return { shop, flagged }
}

const setWeight = async (page: Page, value: string) => {
  await page.getByRole('textbox', { name: 'Location anomaly' }).fill(value)
}
const stat = (page: Page, label: string) => page.locator('.stat', { hasText: label })

describe('the rules lab', () => {
  it('takes a draft from the slider to the next order, and back', async () => {
    const { shop } = await createShop()
    const page = await desk().open(shop.owner, shop.org_id, '/rules')
    await page.getByText('Nothing is changed yet').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await setWeight(page, '0')
    await page.getByRole('row', { name: /Location anomaly/ }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
    // What is in the browser survives a reload.
    await page.reload()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.waitForURL(/\/rules\/replays\/[-0-9a-f]{36}$/)
    await stat(page, 'Flag rate then').getByText('50%').waitFor()
    await stat(page, 'Flag rate with the draft').getByText('0%').waitFor()
    await stat(page, 'Confirmed frauds lost').getByText('1', { exact: true }).waitFor()
    await stat(page, 'Legitimate orders flagged').getByText('1 → 0').waitFor()
    await page.getByRole('heading', { name: 'No longer flagged: 3' }).waitFor()
    await expectAccessible(page)
    await expectFits(page)

    await page.getByRole('button', { name: 'Apply…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply as version 1' })
    await dialog.getByRole('row', { name: /Location anomaly 0\.8 0/ }).waitFor()
    await dialog.getByLabel('Note').fill('Our customers travel')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 1 is in force').first().waitFor()
    await send(shop, 'dan', BERLIN)
    expect((await send(shop, 'dan', TOKYO)).risk.flagged_for_review).toBe(false)
    const entries = await desk()
      .stores.db.selectFrom('audit_log')
      .select(['action', 'target'])
      .where('org_id', '=', shop.org_id)
      .where('action', 'like', 'rules.%')
      .execute()
    expect(entries).toEqual([{ action: 'rules.applied', target: 'order rules, live, version 1' }])

    await page.goto(`${desk().origin}/console/o/${shop.org_id}/rules/versions`)
    await page.getByRole('cell', { name: '1 in force' }).waitFor()
    await page.getByText('Our customers travel').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Roll back to the defaults' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByRole('cell', { name: '2 in force' }).waitFor()
    await page.getByText('Rolled back to the defaults').waitFor()
    await send(shop, 'eve', BERLIN)
    expect((await send(shop, 'eve', TOKYO)).risk.flagged_for_review).toBe(true)
  })

  it('shows how far a replay is, and cancels it', async () => {
    const { shop } = await createShop()
    const { db } = desk().stores
    const page = await desk().open(shop.owner, shop.org_id, '/rules')
    const { rules_replays } = desk().services
    const month = { from: new Date('2026-01-01'), to: new Date('2030-01-01') }
    const { parameters } = await desk().services.order_rules.inForce({
      org_id: shop.org_id,
      mode: 'live',
    })
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const replay = await rules_replays.start(owner, { parameters, ...month, by: 'somebody' })
    // As it is while another process runs it.
    await db
      .updateTable('rules_replays')
      .set({
        state: 'running',
        result: null,
        finished_at: null,
        orders_read: 1234,
        orders_total: 5000,
        read_until: new Date('2026-02-03T12:00:00Z'),
        leased_until: new Date('2100-01-01'),
      })
      .where('org_id', '=', shop.org_id)
      .execute()
    await page.goto(`${desk().origin}/console/o/${shop.org_id}/rules/replays/${replay?.id}`)
    await page.getByText('1,234 of 5,000 orders, up to 3 Feb 2026').waitFor()
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1234')
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Cancel the replay' }).click()
    await page.getByText('It was cancelled').waitFor()
    await page.getByRole('link', { name: '← Replays' }).click()
    await page.getByRole('cell', { name: 'cancelled' }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('keeps drafts and replays of test orders apart from those of live ones', async () => {
    const { shop } = await createShop()
    const page = await desk().open(shop.owner, shop.org_id, '/rules')
    const switchTo = async (name: string) => {
      await page.getByLabel('Mode', { exact: true }).selectOption({ label: name })
      await page
        .getByText(`The defaults are in force for orders of ${name.toLowerCase()}`)
        .waitFor()
    }
    await page.getByText('Nothing is changed yet').waitFor()
    await switchTo('Test data')
    await setWeight(page, '0.11')
    await page.getByRole('row', { name: /Location anomaly/ }).waitFor()
    await switchTo('Live data')
    await page.getByText('Nothing is changed yet').waitFor()
    await setWeight(page, '0.22')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await stat(page, 'Flag rate then').waitFor()
    await page.getByRole('button', { name: 'Apply…' }).waitFor()
    await page.goto(`${page.url()}?mode=test`)
    await page.getByText('These are live orders.').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).count()).toBe(0)
    await expectAccessible(page)
    await page.goto(`${desk().origin}/console/o/${shop.org_id}/rules?mode=test`)
    await page.getByRole('row', { name: /Location anomaly.*0\.11/ }).waitFor()
  })

  it('lets a member draft and replay, and says who applies', async () => {
    const { shop } = await createShop()
    const page = await desk().open(await shop.join('member'), shop.org_id, '/rules')
    await setWeight(page, '0.1')
    await page.getByText('Owners and admins apply rules.').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await stat(page, 'Flag rate then').waitFor()
    expect(await page.getByRole('button', { name: 'Apply…' }).isDisabled()).toBe(true)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(`${desk().origin}/console/o/${shop.org_id}/rules/versions`)
    await page.getByText('Owners and admins apply rules.').waitFor()
  })

  it('says what is wrong with a number, and takes it back', async () => {
    const shop = await desk().createShop()
    const page = await desk().open(shop.owner, shop.org_id, '/rules?section=places')
    const field = page.getByRole('textbox', { name: 'Far from' })
    await field.fill('far')
    await page.getByText('This has to be a number.').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Reset Far from' }).click()
    expect(await field.inputValue()).toBe('200')
    await page.getByRole('slider', { name: 'Far from, slider' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await field.inputValue()).toBe('210')
    await page.getByRole('textbox', { name: 'Fast from' }).fill('1500')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('"places.impossible_kmh" must be more than').first().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Nothing is changed yet').waitFor()
  })

  it('tells who applies that somebody else did meanwhile', async () => {
    const shop = await desk().createShop()
    const page = await desk().open(shop.owner, shop.org_id, '/rules')
    await setWeight(page, '0.1')
    const { order_rules } = desk().services
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const { parameters } = await order_rules.inForce(owner)
    const weights = { ...parameters.weights, pattern: 0.3 }
    const by = { base_version: 0, note: null, by: 'cli' }
    await order_rules.apply(owner, { ...parameters, weights }, by)
    await page.getByRole('button', { name: 'Apply…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 1 is in force by now').first().waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Apply…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply as version 2' })
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Version 2 is in force').first().waitFor()
    const { overrides } = await order_rules.show(owner)
    expect(overrides).toEqual({ weights: { location_anomaly: 0.1, pattern: 0.3 } })
  })

  it('shows hostile notes and names of orders as texts', async () => {
    const shop = await desk().createShop()
    const owner = { org_id: shop.org_id, mode: 'live' as const }
    const { order_rules, orders } = desk().services
    const { parameters } = await order_rules.inForce(owner)
    for (const [index, note] of HOSTILE.entries()) {
      const weights = { ...parameters.weights, pattern: 0.1 * (index + 1) }
      const by = { base_version: index, note, by: note }
      await order_rules.apply(owner, { ...parameters, weights }, by)
      await orders.score(owner, {
        external_order_id: `${index} ${note}`,
        external_id: `who-${index}`,
        amount_cents: 100,
        ...BERLIN,
      })
      await orders.score(owner, {
        external_order_id: note,
        external_id: `who-${index}`,
        amount_cents: 100,
        ...TOKYO,
      })
    }
    const page = await desk().open(shop.owner, shop.org_id, '/rules/versions')
    for (const text of HOSTILE) await page.getByText(text).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await expectFits(page)
    await page.goto(`${desk().origin}/console/o/${shop.org_id}/rules`)
    await setWeight(page, '0')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    for (const text of HOSTILE) await page.getByRole('link', { name: text }).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await expectFits(page)
  })
})
