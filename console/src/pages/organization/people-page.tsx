/** Deletes the data of a person on request, after a report of that. */
import { useState } from 'preact/hooks'
import type { PersonReport } from '../../../../src/modules/person-data/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  ConfirmButton,
  Form,
  FormActions,
  Notice,
  Section,
  TextField,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { merged } from './merge-reports.ts'
import { OrganizationPage } from './organization-page.tsx'

const PATH = '/console/api/people/deletion'
const VALUE_MAX_CHARS = 512

const FIELDS = [
  { name: 'email', label: 'E-mail', hint: 'In any spelling.' },
  { name: 'phone', label: 'Phone number', hint: 'In E.164, such as +12025550143.' },
  { name: 'profile', label: 'Profile', hint: 'The external_id of the customer.' },
  {
    name: 'device',
    label: 'Device',
    hint: 'The fingerprint_hash of a device that only this person uses: all orders and checks of the device are deleted.',
  },
] as const

type Person = Partial<Record<(typeof FIELDS)[number]['name'], string>>
type Request = { person: Person; dry_run: boolean; from_step?: string }

export default function PeoplePage() {
  const { is_admin } = useOrg()
  return (
    <OrganizationPage lead="Deletes what is stored about a person who asks for it">
      <Section title="Data of a person">
        {is_admin ? (
          <Deletion />
        ) : (
          <p class="muted">Owners and admins can delete data of people.</p>
        )}
      </Section>
    </OrganizationPage>
  )
}

function Deletion() {
  const { id: org_id } = useOrg()
  const [typed, setTyped] = useState<Person>({})
  const [planned, setPlanned] = useState<{ person: Person; report: PersonReport }>()
  const [done, setDone] = useState<PersonReport>()
  const person = Object.fromEntries(
    Object.entries(typed).flatMap(([name, text]) =>
      text.trim() === '' ? [] : [[name, text.trim()]],
    ),
  )
  const call = ({ person: who, ...rest }: Request) => ({
    method: 'POST' as const,
    path: PATH,
    body: { org_id, ...who, ...rest },
  })
  const plan = useChange<Request, PersonReport>(call, {
    quiet: true,
    onSuccess: (report, request) => {
      setDone(undefined)
      setPlanned({ person: request.person, report })
    },
  })
  return (
    <>
      <Form onSubmit={() => plan.mutate({ person, dry_run: true })} error={plan.error}>
        {FIELDS.map(({ name, ...field }) => (
          <TextField
            key={name}
            name={name}
            {...field}
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
            maxLength={VALUE_MAX_CHARS}
          />
        ))}
        <FormActions busy={plan.isPending} disabled={Object.keys(person).length === 0}>
          Find the data
        </FormActions>
      </Form>
      {planned && !done && (
        <Planned
          {...planned}
          onDone={(report) => {
            setDone(report)
            setTyped({})
          }}
        />
      )}
      {done && (
        <div role="status">
          <Notice tone="good">The data was deleted. Save this report if you need a record.</Notice>
          <Report report={done} verb="Deleted" />
        </div>
      )}
    </>
  )
}

type PlannedProps = {
  person: Person
  report: PersonReport
  onDone: (report: PersonReport) => void
}

/** A deletion that takes longer than a request may is continued by the next one. */
function Planned({ person, report, onDone }: PlannedProps) {
  const { id: org_id } = useOrg()
  const [soFar, setSoFar] = useState<PersonReport>()
  const next_step = soFar?.next_step ?? null
  const change = useChange<void, PersonReport>(
    () => ({
      method: 'POST',
      path: PATH,
      body: {
        org_id,
        ...person,
        dry_run: false,
        ...(next_step !== null && { from_step: next_step }),
      },
    }),
    {
      invalidates: ['/console/api'],
      quiet: true,
      onSuccess: (next) => {
        const all = soFar ? merged(soFar, next) : next
        setSoFar(all)
        if (all.next_step === null) onDone(all)
      },
    },
  )
  return (
    <div role="status">
      {report.next_step !== null && (
        <Notice tone="warn">Not all tables were read, so there may be more.</Notice>
      )}
      <Report report={soFar ?? report} verb={soFar ? 'Deleted so far' : 'Would be deleted'} />
      <Actions>
        <ConfirmButton
          label={next_step !== null ? 'Continue' : 'Delete the data…'}
          title="Delete the data of this person?"
          action="Delete"
          change={change}
        >
          <p>
            This cannot be undone. Blocks of this person end, and what the scoring knows about them
            is forgotten.
          </p>
        </ConfirmButton>
      </Actions>
    </div>
  )
}

function Report({ report, verb }: { report: PersonReport; verb: string }) {
  const { deleted, cleared, retained, waiting_batches, not_searched } = report
  return (
    <>
      <Rows title={verb} counts={deleted} none="Nothing is stored about this person." />
      <Rows
        title="Rows of other data in which the values are replaced by [deleted]"
        counts={cleared}
      />
      <Rows title="Rows that name the person and stay: the books and settings" counts={retained} />
      {waiting_batches > 0 && (
        <p>{waiting_batches} batches of logs are still being stored. Search again in a minute.</p>
      )}
      {not_searched.map((member) => (
        <p key={member}>The {member} is too short to be looked for in texts.</p>
      ))}
      <p class="muted">
        Usage and ledger stay: they have ids and numbers of requests. Memories of terminals, stores
        and shared devices stay: they are numbers that name no one.
      </p>
    </>
  )
}

type RowsProps = { title: string; counts: Record<string, number>; none?: string }

function Rows({ title, counts, none }: RowsProps) {
  const rows = Object.entries(counts)
  if (rows.length === 0) return none === undefined ? null : <p>{none}</p>
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {rows.map(([table, count]) => (
          <li key={table}>
            {table.replaceAll('_', ' ')}: {count}
          </li>
        ))}
      </ul>
    </>
  )
}
