/** The fields of a key that can be changed: what it is called, and what it is limited to. */

import { useState } from 'preact/hooks'
import type { KeyRecord, Scope } from '../../../../src/modules/keys/schema.ts'
import type { Answer } from '../../api/client.ts'
import { dayOf } from '../../components/days.ts'
import { CheckField, SelectField, TextField, useFields } from '../../components/index.ts'

const SCOPE_NAMES: Record<Scope, string> = {
  'checks:write': 'Run checks and report phone outcomes',
  'checks:read': 'Read checks',
  'orders:write': 'Send orders',
  'profiles:write': 'Send profiles',
  'cashier:write': 'Send cashier actions',
  'logs:write': 'Send logs, register edge devices and send heartbeats',
  'rum:write': 'Send browser events',
  'rum:read': 'Read the usage of browser events',
  'push:write': 'Send push messages and create identity tokens',
  'push:read': 'Read what became of push messages',
  'portals:write': 'Create links to customer portals',
}

const SCOPES = Object.keys(SCOPE_NAMES) as Scope[]

const ACCESS = [
  { value: 'full', label: 'Full: every operation' },
  { value: 'limited', label: 'Limited to some operations' },
] as const

export type KeyDraft = ReturnType<typeof useKeyDraft>

/** @param key the key that is changed; undefined for a new one */
export function useKeyDraft(key?: Answer<KeyRecord>) {
  const before = key?.expires_at ? dayOf(new Date(key.expires_at)) : ''
  const { values, field } = useFields({
    name: key?.name ?? '',
    note: key?.note ?? '',
    access: key?.scopes ? 'limited' : 'full',
    networks: key?.networks?.join(', ') ?? '',
    expires: before,
  })
  const [scopes, setScopes] = useState<readonly Scope[]>(key?.scopes ?? [])
  const { name, note, expires } = values
  const networks = values.networks.split(/[\s,]+/).filter((text) => text !== '')
  const isLimited = values.access === 'limited'
  return {
    field,
    scopes,
    setScopes,
    isLimited,
    isComplete: !isLimited || scopes.length > 0,
    /** @param hasScopes whether the kind of the key can be limited to operations */
    body: (hasScopes: boolean) => ({
      name,
      note,
      networks: networks.length === 0 ? null : networks,
      ...(hasScopes && { scopes: isLimited ? scopes : null }),
      ...(expires !== before && {
        expires_at: expires === '' ? null : new Date(`${expires}T00:00`).toISOString(),
      }),
    }),
  }
}

type Props = { draft: KeyDraft; hasScopes: boolean; hasExpiry?: boolean }

export function KeyFields({ draft, hasScopes, hasExpiry = true }: Props) {
  const { field, scopes, setScopes } = draft
  const toggle = (scope: Scope, isOn: boolean) =>
    setScopes(SCOPES.filter((each) => (each === scope ? isOn : scopes.includes(each))))
  return (
    <>
      <TextField
        label="Name"
        {...field('name')}
        maxLength={100}
        hint="Where the key is used, such as “Checkout server”."
        autocomplete="off"
      />
      <TextField label="Note" {...field('note')} maxLength={1000} autocomplete="off" />
      {hasScopes && <SelectField label="Access" {...field('access')} options={ACCESS} />}
      {hasScopes && draft.isLimited && (
        <fieldset class="stack">
          <legend class="field-label">Operations</legend>
          {SCOPES.map((scope) => (
            <CheckField
              key={scope}
              label={`${SCOPE_NAMES[scope]} (${scope})`}
              checked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      )}
      <TextField
        label="Allowed networks"
        {...field('networks')}
        hint="Addresses and ranges such as 203.0.113.0/24, separated by commas. Empty: everywhere."
        autocomplete="off"
        spellcheck={false}
      />
      {hasExpiry && (
        <TextField
          label="Expires on"
          type="date"
          {...field('expires')}
          name="expires_at"
          hint="The key stops working when this day begins. Empty: never."
        />
      )}
    </>
  )
}
