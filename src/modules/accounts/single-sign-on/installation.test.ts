import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../../../test/harness.ts'
import { type OidcProvider, startOidcProvider } from '../../../../test/support/oidc-provider.ts'
import { createPerson } from '../../../../test/support/person.ts'
import {
  newBrowser,
  PUBLIC_URL,
  refusal,
  SINGLE_SIGN_ON_SETTINGS,
} from '../../../../test/support/single-sign-on.ts'

let provider: OidcProvider
let opened: Harness
let org_id = ''

beforeAll(async () => {
  const callback = `${PUBLIC_URL}/console/sso/callback`
  provider = await startOidcProvider([callback], `${PUBLIC_URL}/console/sign-in`)
  const first = await openHarness()
  org_id = (await first.createTenant()).org_id
  await first.close()
  opened = await openHarness({
    settings: {
      ...SINGLE_SIGN_ON_SETTINGS,
      VIGIL_OIDC_ALLOW: '',
      VIGIL_OIDC_ISSUER: provider.issuer,
      VIGIL_OIDC_CLIENT_ID: provider.client_id,
      VIGIL_OIDC_CLIENT_SECRET: provider.client_secret,
      VIGIL_OIDC_ORG: org_id,
      VIGIL_OIDC_ROLE_CLAIM: 'groups',
      VIGIL_OIDC_ROLES: 'ops=owner',
    },
  })
})
afterAll(async () => {
  await opened.close()
  await provider.close()
})

const signIn = async (person: string) => {
  provider.person = person
  const browser = newBrowser(() => opened)
  const { url } = (await browser.begin({})).body.content
  return await browser.complete(undefined, await provider.visit(url, browser.jar))
}

describe('the provider of the installation', () => {
  it('signs in the account that has proved the e-mail, to all its organizations', async () => {
    const other = (await opened.createTenant()).org_id
    const person = await createPerson(opened, other, 'admin')
    provider.people.set('ann', { email: person.email, email_verified: true, groups: ['ops'] })
    const { access_token: token } = (await signIn('ann')).body.content
    const me = await opened.get<{ user_id: string; organizations: object[] }>('/console/api/me', {
      token,
    })
    expect(me.body.content).toMatchObject({ user_id: person.user_id, by_provider: true })
    expect(me.body.content.organizations).toHaveLength(2)
    expect((await opened.get('/console/api/me/sessions', { token })).status).toBe(200)
  })

  it('adds new people to its organization, and refuses those without a role', async () => {
    const email = `${org_id}@vigil.test`
    provider.people.set('bob', { email, email_verified: true, groups: ['cn=staff,dc=shop'] })
    expect(refusal(await signIn('bob'))[2]).toBe(
      'Your groups at the provider give you no role here',
    )
    provider.people.set('bob', { email, email_verified: true, groups: 'ops' })
    expect((await signIn('bob')).status).toBe(200)
    const users = await opened.services.accounts.listUsers(email, org_id)
    expect(users).toMatchObject([{ is_proved: true, organizations: [{ id: org_id }] }])
  })

  it('is refused an account that a stranger has with the e-mail of a person', async () => {
    const { accounts } = opened.services
    const tenant = await opened.createTenant()
    const owner = await createPerson(opened, tenant.org_id, 'owner')
    const email = `carol-${tenant.org_id}@vigil.test`
    const invited = { email, role: 'admin' as const }
    const invitation = await accounts.invite(tenant.org_id, invited, owner.user_id)
    const token = 'token' in invitation ? (invitation.token ?? '') : ''
    await accounts.acceptWithPassword(token, 'a password of the stranger 17')
    provider.people.set('carol', { email, email_verified: true, groups: ['ops'] })
    const signedIn = (await signIn('carol')).body.content
    const me = await opened.get('/console/api/me', { token: signedIn.access_token })
    expect(me.body.content).toMatchObject({ organizations: [{ id: org_id }] })
  })

  it('can be required by an organization that has no provider', async () => {
    const tenant = await opened.createTenant()
    const owner = await createPerson(opened, tenant.org_id, 'owner')
    const admin = await createPerson(opened, tenant.org_id, 'admin')
    const { accounts } = opened.services
    const requirement = {
      required_provider: 'installation' as const,
      break_glass_user_id: owner.user_id,
    }
    expect(await accounts.requireProvider(tenant.org_id, requirement)).toBe('done')
    const path = `/console/api/organization?org_id=${tenant.org_id}`
    const statusOf = async (token: string) => (await opened.get(path, { token })).status
    expect(await statusOf(admin.token)).toBe(403)
    provider.people.set('dan', { email: admin.email, email_verified: true, groups: ['ops'] })
    expect(await statusOf((await signIn('dan')).body.content.access_token)).toBe(200)
  })
})
