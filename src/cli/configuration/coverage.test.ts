/**
 * Every operation of members that changes something either belongs to a kind of item that files can have, or is
 * listed with the reason why it does not, as in docs/configuration.md. A new operation fails here until it is one of both.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ITEM_KINDS, type ItemKind } from '../../modules/configuration/index.ts'
import { packageRoot } from '../../platform/package-root.ts'

const CONSOLE = '/console/api'
const CHANGES = /^\| `(?:POST|PUT|PATCH|DELETE) (?<path>[^`]+)` \| (?:member|admin|owner) /

/** Beginnings of paths. The longest one that fits decides. */
const IN_FILES: Record<ItemKind, string[]> = {
  members: [`${CONSOLE}/members`, `${CONSOLE}/invitations`],
  api_keys: [`${CONSOLE}/keys`],
  order_rules: [`${CONSOLE}/rules/apply`, `${CONSOLE}/rules/learned/automatic`],
  list_entries: [`${CONSOLE}/lists`],
  alert_rules: [`${CONSOLE}/edge/alerts`, '/v1/edge/alerts'],
  push_applications: [`${CONSOLE}/push/applications`],
  notification_channels: [`${CONSOLE}/notifications/channels`],
  notification_routes: [`${CONSOLE}/notifications/routes`],
  webhook_endpoints: [`${CONSOLE}/webhooks`, '/v1/webhooks'],
  device_policies: [`${CONSOLE}/mdm/policies`, '/v1/mdm/policies'],
  device_groups: ['/v1/mdm/groups'],
  saved_searches: [`${CONSOLE}/edge/searches`],
  log_dashboard: [`${CONSOLE}/edge/panels`],
  case_settings: [`${CONSOLE}/cases/settings`],
  credit_settings: [`${CONSOLE}/credits/low-balance`],
  sign_in_provider: [`${CONSOLE}/organization/single-sign-on`],
  sign_in_policy: [
    `${CONSOLE}/organization/sign-in`,
    `${CONSOLE}/organization/single-sign-on/requirement`,
  ],
}

/** By the words that docs/configuration.md has for them. */
const OUTSIDE: Record<string, string[]> = {
  'The name and the plan of the organization': [`${CONSOLE}/organization`],
  'What a person chooses for themselves': [
    `${CONSOLE}/notifications/mine`,
    `${CONSOLE}/me`,
    `${CONSOLE}/members/:user_id/password-reset`,
  ],
  Mutes: [`${CONSOLE}/edge/alerts/:id/mute`, `${CONSOLE}/notifications/routes/:id/mute`],
  Secrets: [
    `${CONSOLE}/keys/roll`,
    `${CONSOLE}/push/applications/:id/credentials`,
    '/v1/webhooks/:id/roll-secret',
    '/v1/mdm/enrollment-tokens',
    `${CONSOLE}/mdm/enrollment-tokens`,
  ],
  'The connection to Android Enterprise': ['/v1/mdm/enterprise'],
  'Work on what happened': [
    `${CONSOLE}/cases`,
    `${CONSOLE}/reviews`,
    `${CONSOLE}/checks`,
    `${CONSOLE}/outcomes`,
    `${CONSOLE}/people`,
    `${CONSOLE}/edge/errors`,
    `${CONSOLE}/notifications/:id`,
    `${CONSOLE}/notifications/messages`,
    `${CONSOLE}/webhooks/:id/replay`,
    '/v1/webhooks/deliveries',
  ],
  'Customer portals': [`${CONSOLE}/portals`],
  'Devices and phones': [
    '/v1/mdm/devices',
    '/v1/mdm/groups/:group_id/commands',
    '/v1/mdm/groups/:group_id/devices',
    `${CONSOLE}/push/messages`,
    `${CONSOLE}/push/receipts`,
    `${CONSOLE}/push/subscriptions`,
  ],
  'Trying something out': [
    `${CONSOLE}/rules/check`,
    `${CONSOLE}/rules/replays`,
    `${CONSOLE}/rules/rollback`,
    `${CONSOLE}/mdm/policies/check`,
    `${CONSOLE}/organization/single-sign-on/test`,
    `${CONSOLE}/notifications/channels/:id/test`,
    `${CONSOLE}/push/applications/:id/test`,
    '/v1/webhooks/:id/test',
    `${CONSOLE}/webhooks/:id/test`,
    `${CONSOLE}/search`,
    `${CONSOLE}/configuration`,
  ],
}

const read = (file: string): string => readFileSync(join(packageRoot(), 'docs', file), 'utf8')

it('covers everything that members can change, or the document says why not', () => {
  const owners = Object.entries({ ...IN_FILES, ...OUTSIDE }).flatMap(([owner, prefixes]) =>
    prefixes.map((prefix) => ({ owner, prefix })),
  )
  const ownerOf = (path: string) =>
    owners
      .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
      .toSorted((one, other) => other.prefix.length - one.prefix.length)[0]
  const paths = read('access.md')
    .split('\n')
    .flatMap((line) => CHANGES.exec(line)?.groups?.['path'] ?? [])
  expect(paths.length).toBeGreaterThan(80)
  expect(paths.filter((path) => !ownerOf(path))).toEqual([])
  const used = new Set(paths.map((path) => ownerOf(path)?.prefix))
  expect(owners.filter(({ prefix }) => !used.has(prefix))).toEqual([])
  const text = read('configuration.md')
  for (const kind of ITEM_KINDS) expect(text).toContain(`| \`${kind}\` |`)
  for (const reason of Object.keys(OUTSIDE)) expect(text).toContain(`| ${reason} |`)
})
