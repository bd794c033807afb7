/**
 * What an application is sent with: its push configuration, its credentials, and test sends. Read by
 * members, changed by owners and admins. No key ever leaves.
 */
import { Type } from 'typebox'
import { type Members, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import {
  type PushConfigurations,
  type PushCredentials,
  type TestSends,
  TOKEN_MAX_CHARS,
} from '../../modules/push/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { choice, maybe } from '../../platform/http/schemas.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../platform/postgres/tables/push.ts'

import { found } from '../found.ts'

export type CredentialConsoleDependencies = {
  accounts: Members
  configurations: PushConfigurations
  credentials: PushCredentials
  test_sends: TestSends
}

/** The rules say more exactly what is too long. */
const TEXT_MAX_CHARS = 100_000

const oneApplication = Type.Object({ id: Type.String() })
const oneCredential = Type.Object({ id: Type.String(), provider: Type.String() })
const ofOrganization = Type.Object({ org_id: Type.String() })
const text = () => Type.Optional(Type.String({ maxLength: TEXT_MAX_CHARS }))
const configurationBody = Type.Object({
  org_id: Type.String(),
  android_package_name: maybe(Type.String()),
  ios_bundle_id: maybe(Type.String()),
})
const credentialBody = Type.Object({
  org_id: Type.String(),
  service_account: Type.Optional(Type.Unknown()),
  key: text(),
  key_id: text(),
  team_id: text(),
})
const testBody = Type.Object({
  org_id: Type.String(),
  provider: choice(PUSH_PROVIDERS),
  subscription_id: Type.Optional(Type.String()),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: TOKEN_MAX_CHARS })),
})

const config = { access: 'portal', rate_class: 'console' } as const

export function credentialConsoleRoutes(app: App, deps: CredentialConsoleDependencies): void {
  configurationRoutes(app, deps)
  storedRoutes(app, deps)
  testRoute(app, deps)
}

function configurationRoutes(app: App, deps: CredentialConsoleDependencies): void {
  const { accounts, configurations } = deps

  app.get(
    '/console/api/push/applications/:id/configuration',
    { config, schema: { params: oneApplication, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const configuration = found(await configurations.find(org_id, request.params.id))
      return envelope('Push configuration', configuration)
    },
  )

  app.put(
    '/console/api/push/applications/:id/configuration',
    { config, schema: { params: oneApplication, body: configurationBody } },
    async (request) => {
      await requireAdmin(accounts, userOf(request).user_id, request.body.org_id)
      const { org_id, android_package_name, ios_bundle_id } = request.body
      const stored = await configurations.set({
        org_id,
        application_id: request.params.id,
        android_package_name,
        ios_bundle_id,
      })
      return envelope('Push configuration stored', found(stored))
    },
  )
}

function storedRoutes(app: App, { accounts, credentials }: CredentialConsoleDependencies): void {
  app.get(
    '/console/api/push/applications/:id/credentials',
    { config, schema: { params: oneApplication, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Credentials', found(await credentials.list(org_id, request.params.id)))
    },
  )

  app.put(
    '/console/api/push/applications/:id/credentials/:provider',
    {
      config,
      schema: { params: oneCredential, body: credentialBody },
    },
    async (request) => {
      const { org_id, service_account, key, key_id, team_id } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const { id: application_id } = request.params
      const provider = providerOf(request.params.provider)
      const upload = { service_account, key, key_id, team_id }
      const stored = await credentials.set({ org_id, application_id, provider, ...upload })
      return envelope('Credential stored; a test send proves it', found(stored))
    },
  )

  app.delete(
    '/console/api/push/applications/:id/credentials/:provider',
    { config, schema: { params: oneCredential, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const provider = providerOf(request.params.provider)
      if (!(await credentials.remove(org_id, request.params.id, provider))) throw notFound()
      return envelope('Credential deleted; nothing is sent with it any more', {})
    },
  )
}

function testRoute(app: App, { accounts, test_sends }: CredentialConsoleDependencies): void {
  app.post(
    '/console/api/push/applications/:id/test',
    { config, schema: { params: oneApplication, body: testBody } },
    async (request) => {
      const { org_id, provider, subscription_id, token } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const { id: application_id } = request.params
      const tested = found(
        await test_sends.send({ org_id, application_id, provider, subscription_id, token }),
      )
      return envelope(tested.accepted ? 'Test accepted' : 'Test not accepted', tested)
    },
  )
}

/** What is no provider has no credential. */
function providerOf(given: string): PushProvider {
  const provider = PUSH_PROVIDERS.find((each) => each === given)
  if (provider === undefined) throw notFound()
  return provider
}
