/**
 * Console routes for push configurations, credentials and test sends: members can read, owners and
 * admins can change and test. Keys are never returned.
 */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice, maybe } from '../../../platform/http/schemas.ts'
import type { PushConfigurations } from '../configurations/service.ts'
import { TOKEN_MAX_CHARS } from '../subscriptions/token.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../tables.ts'
import type { PushCredentials } from './service.ts'
import type { TestSends } from './test-sends.ts'

export type CredentialConsoleDependencies = {
  configurations: PushConfigurations
  credentials: PushCredentials
  test_sends: TestSends
}

/** A coarse bound; `readUpload` reports the exact limits. */
const TEXT_MAX_CHARS = 100_000

const oneApplication = Type.Object({ id: Type.String() })
const oneCredential = Type.Object({ id: Type.String(), provider: Type.String() })
const text = () => Type.Optional(Type.String({ maxLength: TEXT_MAX_CHARS }))
const configurationBody = Type.Object({
  android_package_name: maybe(Type.String()),
  ios_bundle_id: maybe(Type.String()),
})
const credentialBody = Type.Object({
  service_account: Type.Optional(Type.Unknown()),
  key: text(),
  key_id: text(),
  team_id: text(),
})
const testBody = Type.Object({
  provider: choice(PUSH_PROVIDERS),
  subscription_id: Type.Optional(Type.String()),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: TOKEN_MAX_CHARS })),
})

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function credentialConsoleRoutes(app: App, deps: CredentialConsoleDependencies): void {
  configurationRoutes(app, deps)
  storedRoutes(app, deps)
  testRoute(app, deps)
}

function configurationRoutes(app: App, deps: CredentialConsoleDependencies): void {
  const { configurations } = deps

  app.get(
    '/console/api/push/applications/:id/configuration',
    { config: MEMBER, schema: { params: oneApplication } },
    async ({ member, params }) =>
      envelope('Push configuration', found(await configurations.find(member.org_id, params.id))),
  )

  app.put(
    '/console/api/push/applications/:id/configuration',
    { config: ADMIN, schema: { params: oneApplication, body: configurationBody } },
    async ({ member: { org_id }, params, body: { android_package_name, ios_bundle_id } }) => {
      const names = { android_package_name, ios_bundle_id }
      const stored = await configurations.set({ org_id, application_id: params.id, ...names })
      return envelope('Push configuration stored', found(stored))
    },
  )
}

function storedRoutes(app: App, { credentials }: CredentialConsoleDependencies): void {
  app.get(
    '/console/api/push/applications/:id/credentials',
    { config: MEMBER, schema: { params: oneApplication } },
    async ({ member, params }) =>
      envelope('Credentials', found(await credentials.list(member.org_id, params.id))),
  )

  app.put(
    '/console/api/push/applications/:id/credentials/:provider',
    { config: ADMIN, schema: { params: oneCredential, body: credentialBody } },
    async ({ member: { org_id }, params: { id: application_id, ...params }, body }) => {
      const { service_account, key, key_id, team_id } = body
      const provider = providerOf(params.provider)
      const upload = { service_account, key, key_id, team_id }
      const stored = await credentials.set({ org_id, application_id, provider, ...upload })
      return envelope('Credential stored; a test send proves it', found(stored))
    },
  )

  app.delete(
    '/console/api/push/applications/:id/credentials/:provider',
    { config: ADMIN, schema: { params: oneCredential } },
    async ({ member, params }) => {
      const provider = providerOf(params.provider)
      if (!(await credentials.remove(member.org_id, params.id, provider))) throw notFound()
      return envelope('Credential deleted', {})
    },
  )
}

function testRoute(app: App, { test_sends }: CredentialConsoleDependencies): void {
  app.post(
    '/console/api/push/applications/:id/test',
    { config: ADMIN, schema: { params: oneApplication, body: testBody } },
    async ({ member: { org_id }, params: { id: application_id }, body }) => {
      const { provider, subscription_id, token } = body
      const request = { org_id, application_id, provider, subscription_id, token }
      const tested = found(await test_sends.send(request))
      return envelope(tested.accepted ? 'Test accepted' : 'Test not accepted', tested)
    },
  )
}

function providerOf(name: string): PushProvider {
  const provider = PUSH_PROVIDERS.find((each) => each === name)
  if (provider === undefined) throw notFound()
  return provider
}
