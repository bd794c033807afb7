import type { ComponentChildren } from 'preact'
import type { ConnectedTo } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import type { ApiError } from '../../../api/client.ts'
import { Icon } from '../../../components/icon.tsx'
import { Actions, Button, Notice, Progress, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import type { PendingSignup } from './pending-sign-up.ts'
import { webAddress } from './section.tsx'
import styles from './steps.module.css'

type Operation = { run: () => void; isPending: boolean; error: ApiError | null }

export type StepsProps = {
  enterprise: Enterprise | null
  connected_to: ConnectedTo | undefined
  is_admin: boolean
  pending: PendingSignup | undefined
  /** Whether Google returned a token. `foreign`: not for a sign-up of this browser. */
  returned: 'no' | 'ours' | 'foreign'
  start: Operation
  create: Operation
}

type Progress = 'done' | 'now' | 'later'

export function Steps(props: StepsProps) {
  const { enterprise, pending, returned } = props
  const current = enterprise ? 4 : returned === 'ours' ? 3 : pending ? 2 : 1
  const progress = (step: number): Progress =>
    step < current ? 'done' : step === current ? 'now' : 'later'
  return (
    <div class="stack">
      {returned === 'foreign' && !enterprise && (
        <Notice tone="bad">
          <p>
            This token does not belong to a sign-up that was started in this browser, so no
            enterprise was created. Start the sign-up here and complete it in this browser.
          </p>
        </Notice>
      )}
      <ol class={styles['steps']}>
        <Step progress={progress(1)} title="Start">
          {current === 1 && <Start {...props} />}
        </Step>
        <Step progress={progress(2)} title="Sign up at Google">
          {current === 2 && pending && <Agree {...props} pending={pending} />}
        </Step>
        <Step progress={progress(3)} title="Return to Vigil, which creates the enterprise">
          {current === 3 && <Create {...props} />}
        </Step>
        <Step progress={progress(4)} title="Enterprise">
          {enterprise && <Done enterprise={enterprise} />}
        </Step>
      </ol>
    </div>
  )
}

const MARKS = { done: 'done', now: 'now', later: 'open' } as const
const WORDS: Record<Progress, string> = { done: 'completed', now: 'current', later: 'upcoming' }

type StepProps = { progress: Progress; title: string; children?: ComponentChildren }

const Step = ({ progress, title, children }: StepProps) => (
  <li aria-current={progress === 'now' ? 'step' : undefined} data-progress={progress}>
    <h2>
      <span class={styles['mark']}>
        <Icon sign={MARKS[progress]} />
      </span>
      {title}
      <span class="visually-hidden"> ({WORDS[progress]})</span>
    </h2>
    <div class={styles['content']}>{children}</div>
  </li>
)

function Start({ is_admin, connected_to, start }: StepsProps) {
  if (!is_admin) return <p class="muted">Only owners and admins can sign up.</p>
  return (
    <div class="stack">
      <p>
        An administrator signs up for Android management on a page of Google. The Google account
        must not belong to another enterprise.
      </p>
      <Fault error={start.error} />
      <Actions>
        <Button
          kind="primary"
          busy={start.isPending}
          disabled={connected_to === 'nothing'}
          onClick={start.run}
        >
          Start sign-up
        </Button>
      </Actions>
    </div>
  )
}

function Agree({ pending, start, is_admin }: StepsProps & { pending: PendingSignup }) {
  const address = webAddress(pending.signup_url)
  return (
    <div class="stack">
      <p>
        Started <Time at={pending.started_at} as="age" />. Google returns you to this page when you
        are done.
      </p>
      {address === undefined && (
        <Fault error={{ message: `Google returned an invalid address: ${pending.signup_url}` }} />
      )}
      <Fault error={start.error} />
      <Actions>
        {address !== undefined && (
          <a class="button button-primary" href={address}>
            Go to {new URL(address).host}
          </a>
        )}
        {is_admin && (
          <Button busy={start.isPending} onClick={start.run}>
            Start over
          </Button>
        )}
      </Actions>
    </div>
  )
}

function Create({ start, create, is_admin }: StepsProps) {
  if (create.error === null) {
    return is_admin ? (
      <p role="status">Creating the enterprise…</p>
    ) : (
      <p class="form-fault">Only owners and admins can create the enterprise.</p>
    )
  }
  return (
    <div class="stack">
      <Fault error={create.error} />
      <Fault error={start.error} />
      <Actions>
        <Button kind="primary" busy={create.isPending} onClick={create.run}>
          Try again
        </Button>
        <Button busy={start.isPending} onClick={start.run}>
          Start over
        </Button>
      </Actions>
    </div>
  )
}

const Done = ({ enterprise }: { enterprise: Enterprise }) => (
  <div class="stack">
    <p>
      <strong>{enterprise.display_name || enterprise.name}</strong> <code>{enterprise.name}</code>,
      created <Time at={enterprise.created_at} />. An organization has one enterprise.
    </p>
    <Actions>
      <PageLink to="/devices/policies" class="button button-primary">
        Go to policies
      </PageLink>
      <PageLink to="/devices/tokens" class="button">
        Go to enrollment tokens
      </PageLink>
    </Actions>
  </div>
)

const Fault = ({ error }: { error: { message: string } | null }) =>
  error && (
    <p class="form-fault" role="alert">
      {error.message}
    </p>
  )
