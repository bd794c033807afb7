/** Puts an identity on a list. */
import { useState } from 'preact/hooks'
import type { ListedEntry, ListKind, ListName } from '../../../../src/modules/lists/schema.ts'
import { useChange } from '../../api/read.ts'
import { useScope } from '../../shell/organization.ts'
import { Button } from '../button.tsx'
import { FormDialog } from '../dialog.tsx'
import { SelectField, TextField } from '../fields.tsx'
import { useFields } from '../use-fields.ts'
import type { Identity } from './identities.ts'
import { KINDS, LISTS } from './names.ts'

export const LISTS_PATH = '/console/api/lists'
const REASON_MAX_CHARS = 200
const DAY_MS = 86_400_000

const TERMS = [
  { value: '', label: 'Without end' },
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For 7 days' },
  { value: '30', label: 'For 30 days' },
  { value: '90', label: 'For 90 days' },
] as const

type Values = { list: ListName; kind: ListKind; value: string; reason: string; days: string }

/** @param identities offered to choose from; without any, kind and value are typed */
export function AddEntry({
  identities,
  onClose,
}: {
  identities?: readonly Identity[]
  onClose: () => void
}) {
  const scope = useScope()
  const first = identities?.[0]
  const { values, field } = useFields<Values & { chosen: string }>({
    list: 'block',
    kind: first?.kind ?? 'email',
    value: first?.value ?? '',
    chosen: '0',
    reason: '',
    days: '',
  })
  const add = useChange<void, ListedEntry>(
    () => {
      const { list, kind, value, chosen, reason, days } = values
      const identity = identities?.[Number(chosen)] ?? { kind, value }
      const expires_at =
        days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
      const body = { ...scope, list, ...identity, ...(reason && { reason }), expires_at }
      return { method: 'POST', path: LISTS_PATH, body }
    },
    {
      invalidates: [LISTS_PATH],
      toast: ({ list, value }) => `${value} is on the ${list} list`,
      onSuccess: onClose,
      quiet: true,
    },
  )
  return (
    <FormDialog title="Add to a list" action="Add" change={add} onClose={onClose}>
      <SelectField
        label="List"
        {...field('list')}
        options={LISTS.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
      />
      {identities ? (
        <SelectField
          label="What"
          {...field('chosen')}
          name="value"
          options={identities.map(({ kind, value }, index) => ({
            value: String(index),
            label: `${KINDS.find((one) => one.value === kind)?.label ?? kind}: ${value}`,
          }))}
        />
      ) : (
        <>
          <SelectField label="Kind" {...field('kind')} options={KINDS} />
          <TextField label="Value" {...field('value')} required maxLength={512} />
        </>
      )}
      <TextField
        label="Reason"
        {...field('reason')}
        maxLength={REASON_MAX_CHARS}
        hint="Shown with every score that the entry changes"
      />
      <SelectField label="Expires" {...field('days')} name="expires_at" options={TERMS} />
    </FormDialog>
  )
}

/** A button for a page about a record, such as an order or a case. */
export function AddToList({ identities }: { identities: readonly Identity[] }) {
  const [isOpen, setOpen] = useState(false)
  if (identities.length === 0) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add to a list…</Button>
      {isOpen && <AddEntry identities={identities} onClose={() => setOpen(false)} />}
    </>
  )
}
