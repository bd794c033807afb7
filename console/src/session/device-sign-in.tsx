/** Approves the sign-in of a program: the user types the code that it shows. */
import { useState } from 'preact/hooks'
import type { DeviceSignInPreview } from '../../../src/modules/accounts/schema.ts'
import { useRead } from '../api/read.ts'
import { Button } from '../components/button.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Actions, Form } from '../components/form.tsx'
import { Empty, Loaded } from '../components/states.tsx'
import { Time } from '../components/time.tsx'
import { useFields } from '../components/use-fields.ts'
import { Brand } from '../shell/brand.tsx'
import type { Me, OwnOrganization } from '../shell/organization.ts'
import { useTitle } from '../shell/title.ts'
import { useSession } from './context.ts'
import { useSubmit } from './use-submit.ts'

const PATH = '/console/api/me/device-sign-in'
const DURATIONS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

type Waiting = DeviceSignInPreview & { user_code: string }

export default function DeviceSignIn() {
  useTitle('Sign in a program')
  const me = useRead<Me>('/console/api/me')
  const [waiting, setWaiting] = useState<Waiting>()
  const [isApproved, setApproved] = useState<boolean>()
  return (
    <main class="entrance">
      <Brand />
      <h1>Sign in a program</h1>
      {isApproved !== undefined ? (
        <Empty title={isApproved ? 'The program is signed in' : 'The sign-in was denied'}>
          <p>
            {isApproved
              ? 'You can close this page. Profile, Sessions lists the program and ends its access.'
              : 'The program gets no access.'}
          </p>
          <a href="/console">Go to the console</a>
        </Empty>
      ) : waiting === undefined ? (
        <Code onFound={setWaiting} />
      ) : (
        <Loaded read={me} what="your organizations">
          {({ organizations }) => (
            <Decide waiting={waiting} organizations={organizations} onDecided={setApproved} />
          )}
        </Loaded>
      )}
    </main>
  )
}

function Code({ onFound }: { onFound: (waiting: Waiting) => void }) {
  const session = useSession()
  const [code, setCode] = useState('')
  const { submit, error, isBusy } = useSubmit(async () => {
    const call = { method: 'POST', path: PATH, body: { user_code: code } } as const
    onFound({ ...(await session.call<DeviceSignInPreview>(call)), user_code: code })
  })
  const isUnknown = error?.status === 404
  return (
    <Form onSubmit={submit} error={isUnknown ? null : error}>
      <p>
        Enter the code that <code>vigil login</code> shows. Never enter a code that another person
        sent you: it would give them your access.
      </p>
      <TextField
        label="Code"
        name="user_code"
        value={code}
        onChange={setCode}
        autocomplete="off"
        spellcheck={false}
        required
      />
      {isUnknown && <p role="alert">This code is wrong, was used, or has expired.</p>}
      <Button type="submit" kind="primary" busy={isBusy}>
        Continue
      </Button>
    </Form>
  )
}

type DecideProps = {
  waiting: Waiting
  organizations: readonly OwnOrganization[]
  onDecided: (isApproved: boolean) => void
}

function Decide({ waiting, organizations, onDecided }: DecideProps) {
  const session = useSession()
  const { user_code, program, address, created_at } = waiting
  const { values, field } = useFields({ org_id: organizations[0]?.id ?? '', days: '7' })
  const decide = async (action: 'approve' | 'deny', body: object) => {
    await session.call({ method: 'POST', path: `${PATH}/${action}`, body: { user_code, ...body } })
    onDecided(action === 'approve')
  }
  const approve = useSubmit(() =>
    decide('approve', { org_id: values.org_id, days: Number(values.days) }),
  )
  const deny = useSubmit(() => decide('deny', {}))
  return (
    <Form onSubmit={approve.submit} error={approve.error ?? deny.error}>
      <p>
        <strong>{program}</strong> at the address <strong>{address}</strong> wants to act as you. It
        began <Time at={created_at} as="age" />.
      </p>
      <p class="notice badge-bad">
        Approve it only if you have just started it yourself, on a machine that you use. It can do
        in the organization what you can do there.
      </p>
      <SelectField
        label="Organization"
        {...field('org_id')}
        options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <SelectField label="For" {...field('days')} options={DURATIONS} />
      <Actions>
        <Button type="submit" kind="primary" busy={approve.isBusy}>
          Approve
        </Button>
        <Button kind="danger" onClick={deny.submit} busy={deny.isBusy}>
          Deny
        </Button>
      </Actions>
    </Form>
  )
}
