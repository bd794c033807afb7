/** Domains that owners prove with a TXT record. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createPerson } from '../../../../test/support/person.ts'
import {
  newBrowser,
  SETUP,
  type Shop,
  SINGLE_SIGN_ON_SETTINGS,
  useShops,
} from '../../../../test/support/single-sign-on.ts'

const harness = useHarness({ settings: SINGLE_SIGN_ON_SETTINGS })
const newShop = useShops(harness)

type State = { domains: string[]; domain_record: string; field: string }

const add = async ({ org_id, owner }: Pick<Shop, 'org_id' | 'owner'>, domain: string) =>
  await harness().post<State>(`${SETUP}/domains`, { org_id, domain }, { token: owner.token })
const remove = async ({ org_id, owner }: Shop, domain: string) =>
  await harness().call<State>({
    method: 'DELETE',
    path: `${SETUP}/domains/${domain}?org_id=${org_id}`,
    token: owner.token,
  })
const publish = (domain: string, ...texts: string[]) =>
  harness().dns.setScenario({ names: { [`_vigil.${domain}`]: { TXT: texts } } })
const recordOf = async ({ org_id, owner }: Shop) => {
  const state = await harness().get<State>(`${SETUP}?org_id=${org_id}`, { token: owner.token })
  return state.body.content.domain_record
}

describe('a domain', () => {
  it('is added with its TXT record, found by e-mail addresses, and removed', async () => {
    const shop = await newShop()
    const domain = `${shop.org_id}.example`
    const missing = await add(shop, domain)
    expect([missing.status, missing.body.content.field]).toEqual([400, 'domain'])
    const record = await recordOf(shop)
    expect(missing.body.message).toContain(`_vigil.${domain} with the text ${record}`)
    publish(domain, 'v=spf1 -all', record)
    for (let time = 0; time < 2; time += 1) {
      const added = await add(shop, domain.toUpperCase())
      expect([added.status, added.body.content.domains]).toEqual([200, [domain]])
    }
    const begin = async () => (await newBrowser(harness).begin({ email: `ann@${domain}` })).status
    expect(await begin()).toBe(200)
    expect((await remove(shop, domain)).body.content.domains).toEqual([])
    expect((await remove(shop, domain)).status).toBe(404)
    expect(await begin()).toBe(400)
    const actions = (await shop.audit()).map(({ action }) => action)
    expect(actions.slice(0, 2)).toEqual([
      'single_sign_on.domain_removed',
      'single_sign_on.domain_added',
    ])
  })

  it('is not proved by the record of another organization, and belongs to one of them', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const domain = `${shop.org_id}.example`
    publish(domain, await recordOf(other))
    expect((await add(shop, domain)).status).toBe(400)
    expect((await add(other, domain)).status).toBe(200)
    publish(domain, await recordOf(shop), await recordOf(other))
    const taken = await add(shop, domain)
    expect([taken.status, taken.body.message]).toEqual([
      400,
      'Another organization has this domain',
    ])
    expect((await remove(shop, domain)).status).toBe(404)
    expect((await add(other, domain)).body.content.domains).toEqual([domain])
  })

  it('is added by two requests once', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const domain = `${shop.org_id}.example`
    publish(domain, await recordOf(shop), await recordOf(other))
    const answers = await Promise.all([shop, other, shop, other].map((each) => add(each, domain)))
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual([
      '200',
      '200',
      '400',
      '400',
    ])
  })

  it('is not judged while DNS does not respond, and is for owners', async () => {
    const shop = await newShop()
    const domain = `${shop.org_id}.example`
    harness().dns.setScenario({ names: { [`_vigil.${domain}`]: { fault: 'servfail' } } })
    expect((await add(shop, domain)).status).toBe(500)
    const admin = await createPerson(harness(), shop.org_id, 'admin')
    expect((await add({ ...shop, owner: admin }, domain)).status).toBe(403)
    expect((await add(shop, 'no domain')).body.content.field).toBe('domain')
  })
})
