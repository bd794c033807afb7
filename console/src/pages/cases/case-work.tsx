/** The decision about a case, and who works on it until when. */
import { useState } from 'preact/hooks'
import type { Member } from '../../../../src/modules/accounts/schema.ts'
import type {
  CaseDetails,
  CaseRecord,
  CaseSettings,
} from '../../../../src/modules/reviews/cases/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import type { Decision } from '../../components/decisions.tsx'
import { Actions, Button, SelectField, TextArea, Time } from '../../components/index.ts'
import { useMe, useOrg } from '../../shell/organization.ts'
import { readKeys } from '../../shell/single-keys.ts'
import { CASES, type CasesState, casePath } from './use-cases.ts'
import { WaitDialog } from './wait-dialog.tsx'

export type DecisionFields = {
  note: string
  setNote: (note: string) => void
  reason_code: string
  setReason: (code: string) => void
  decide: (decision: Decision) => void
}

const NOTE_MAX_CHARS = 1000

type FormProps = { details: CaseDetails; cases: CasesState; form: DecisionFields }

export function DecisionForm({ details, cases, form }: FormProps) {
  const { id: org_id } = useOrg()
  const settings = useRead<CaseSettings>(`${CASES}/settings`, { org_id })
  const { case: record, people } = details
  const selected = cases.selection.size
  const what = selected > 0 ? `${selected} selected` : `all ${record.open_items}`
  const keys = readKeys()
  const isIdle = selected === 0 && record.open_items === 0
  return (
    <div class="stack">
      {record.assignee_id !== null && (
        <p>In work by {people[record.assignee_id] ?? 'a former member'}.</p>
      )}
      {record.state === 'waiting' && (
        <p>
          Waiting until <Time at={record.waits_until} />.
        </p>
      )}
      <SelectField
        label="Reason"
        value={form.reason_code}
        options={[
          { value: '', label: 'None' },
          ...(settings.data?.reason_codes ?? []).map(({ code, label }) => ({ value: code, label })),
        ]}
        onChange={form.setReason}
      />
      <TextArea
        label="Note"
        value={form.note}
        onChange={form.setNote}
        rows={2}
        maxLength={NOTE_MAX_CHARS}
      />
      <Actions class="decision-bar">
        <Button
          kind="danger"
          disabled={isIdle}
          aria-keyshortcuts={keys.fraud}
          onClick={() => form.decide('confirmed_fraud')}
        >
          Fraud ({what})
        </Button>
        <Button
          disabled={isIdle}
          aria-keyshortcuts={keys.legitimate}
          onClick={() => form.decide('legitimate')}
        >
          Legitimate ({what})
        </Button>
      </Actions>
      <Work record={record} form={form} />
    </div>
  )
}

function Work({ record, form }: { record: CaseRecord; form: DecisionFields }) {
  const { id: org_id } = useOrg()
  const { user_id } = useMe()
  const [isWaiting, setWaiting] = useState(false)
  const options = { invalidates: [CASES] }
  const { version } = record
  const path = casePath(record.id)
  const change = useChange<Record<string, unknown>>(
    (changed) => ({ method: 'PATCH', path, body: { org_id, version, ...changed } }),
    options,
  )
  const post = useChange<{ to: string; body: Record<string, unknown> }>(
    ({ to, body }) => ({ method: 'POST', path: `${path}/${to}`, body: { org_id, ...body } }),
    { ...options, onSuccess: () => form.setNote('') },
  )
  if (record.state === 'closed') {
    return (
      <Actions>
        <Button onClick={() => post.mutate({ to: 'reopen', body: { version } })}>Reopen</Button>
      </Actions>
    )
  }
  const isMine = record.assignee_id === user_id
  const note = form.note.trim()
  return (
    <Actions>
      <Button onClick={() => change.mutate({ assignee_id: isMine ? null : user_id })}>
        {isMine ? 'Release' : 'Assign to me'}
      </Button>
      <Assign record={record} onAssign={(assignee_id) => change.mutate({ assignee_id })} />
      <Button
        onClick={() =>
          record.state === 'waiting' ? change.mutate({ waits_until: null }) : setWaiting(true)
        }
      >
        {record.state === 'waiting' ? 'End the wait' : 'Wait…'}
      </Button>
      {isWaiting && <WaitDialog change={change} onClose={() => setWaiting(false)} />}
      <Button onClick={() => change.mutate({ is_escalated: !record.is_escalated })}>
        {record.is_escalated ? 'End the escalation' : 'Escalate'}
      </Button>
      <Button
        disabled={note === ''}
        onClick={() => post.mutate({ to: 'notes', body: { text: note } })}
      >
        Add the note
      </Button>
      <Button
        disabled={form.reason_code === ''}
        title={form.reason_code === '' ? 'Choose a reason first' : undefined}
        onClick={() =>
          post.mutate({
            to: 'close',
            body: { version, reason_code: form.reason_code, ...(note !== '' && { note }) },
          })
        }
      >
        Close as unsure
      </Button>
    </Actions>
  )
}

type AssignProps = { record: CaseRecord; onAssign: (userId: string | null) => void }

function Assign({ record: { assignee_id }, onAssign }: AssignProps) {
  const { id: org_id } = useOrg()
  const read = useRead<{ members: Answer<Member>[] }>('/console/api/members', { org_id })
  const members = read.data?.members ?? []
  return (
    <SelectField
      label="Assignee"
      hideLabel
      value={assignee_id ?? ''}
      options={[
        { value: '', label: 'Assigned to no one' },
        ...members.map(({ user_id, email }) => ({ value: user_id, label: `Assigned to ${email}` })),
      ]}
      onChange={(userId) => onAssign(userId === '' ? null : userId)}
    />
  )
}
