/** Dialogs that change, roll and revoke a key. */
import { useState } from 'preact/hooks'
import type { CreatedKey, KeyRecord } from '../../../../src/modules/keys/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Confirm, FormDialog, SelectField } from '../../components/index.ts'
import { useKeyChange } from './create-key.tsx'
import { KeyFields, useKeyDraft } from './key-details.tsx'

export type Key = Answer<KeyRecord>
type Props = { keyRecord: Key; onClose: () => void }

export function EditKey({ keyRecord, onClose }: Props) {
  const { key_id, key_hint, type, replaced_by } = keyRecord
  const draft = useKeyDraft(keyRecord)
  const hasScopes = type.endsWith('secret')
  const options = { toast: `${key_hint} was changed`, onSuccess: onClose }
  const change = useKeyChange(`/${key_id}`, draft.body(hasScopes), options)
  return (
    <FormDialog
      title={`Edit ${key_hint}`}
      action="Save"
      change={change}
      disabled={!draft.isComplete}
      onClose={onClose}
    >
      <KeyFields draft={draft} hasScopes={hasScopes} hasExpiry={replaced_by === null} />
      <p>Changes apply from the next request on. Requests beyond a limit fail with status 403.</p>
    </FormDialog>
  )
}

const OVERLAPS = [
  { value: '0', label: 'Immediately' },
  { value: '1', label: 'After 1 hour' },
  { value: '24', label: 'After 24 hours' },
  { value: '168', label: 'After 7 days' },
] as const

type RollProps = Props & { onCreated: (created: CreatedKey) => void }

export function RollKey({ keyRecord: { key_id, key_hint }, onCreated, onClose }: RollProps) {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]['value']>('24')
  const body = { key_id, overlap_hours: Number(overlap) }
  const roll = useKeyChange<CreatedKey>('/roll', body, { onSuccess: onCreated })
  return (
    <Confirm title={`Roll ${key_hint}?`} action="Roll key" change={roll} onClose={onClose}>
      <p>You get a new key with the same type, name and limits.</p>
      <SelectField
        label="The current key stops working"
        value={overlap}
        options={OVERLAPS}
        onChange={setOverlap}
        hint={
          overlap === '0'
            ? 'Requests with it fail with status 401 from now on.'
            : 'Deploy the new key everywhere before. You can revoke the current key earlier.'
        }
      />
    </Confirm>
  )
}

export function RevokeKey({ keyRecord: { key_id, key_hint }, onClose }: Props) {
  const options = { toast: `${key_hint} was revoked`, onSuccess: onClose }
  const revoke = useKeyChange('/revoke', { key_id }, options)
  return (
    <Confirm title={`Revoke ${key_hint}?`} action="Revoke key" change={revoke} onClose={onClose}>
      <p>
        Requests with this key immediately fail with status 401. A revoked key cannot be restored.
      </p>
    </Confirm>
  )
}
