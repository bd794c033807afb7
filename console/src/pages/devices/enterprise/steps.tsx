/** How far a sign-up is, with what to do next. */
import type { ComponentChildren } from 'preact'
import type { ConnectedTo } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Enterprise } from '../../../../../src/modules/mdm/enterprise/schema.ts'
import type { ApiError } from '../../../api/client.ts'
import { Actions, Button, Notice, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import type { BegunSignup } from './begun.ts'
import { webAddress } from './section.tsx'
import styles from './steps.module.css'

type Doing = { run: () => void; isPending: boolean; error: ApiError | null }

export type StepsProps = {
  enterprise: Enterprise | null
  connected_to: ConnectedTo | undefined
  is_admin: boolean
  begun: BegunSignup | undefined
  /** With a token; `foreign`: of no sign-up that was begun in this browser. */
  returned: 'no' | 'ours' | 'foreign'
  begin: Doing
  create: Doing
}

type Progress = 'done' | 'now' | 'later'

export function Steps(props: StepsProps) {
  const { enterprise, begun, returned } = props
  const at = enterprise ? 4 : returned === 'ours' ? 3 : begun ? 2 : 1
  const progress = (step: number): Progress => (step < at ? 'done' : step === at ? 'now' : 'later')
  return (
    <div class="stack">
      {returned === 'foreign' && !enterprise && (
        <Notice tone="bad">
          <p>
            This return belongs to no sign-up that was begun in this browser, and nothing was made
            of it. Begin the sign-up here, and agree to it in this browser.
          </p>
        </Notice>
      )}
      <ol class={styles['steps']}>
        <Step progress={progress(1)} title="Begin">
          <Begin {...props} isFirst={at === 1} />
        </Step>
        <Step progress={progress(2)} title="Agree on the page of the provider">
          {at === 2 && begun && <Agree {...props} begun={begun} />}
        </Step>
        <Step progress={progress(3)} title="Come back, and the enterprise is created">
          {at === 3 && <Create {...props} />}
        </Step>
        <Step progress={progress(4)} title="Enterprise">
          {enterprise && <Done enterprise={enterprise} />}
        </Step>
      </ol>
    </div>
  )
}

const MARKS: Record<Progress, string> = { done: '✓', now: '▸', later: '·' }
const WORDS: Record<Progress, string> = { done: 'done', now: 'now', later: 'later' }

type StepProps = { progress: Progress; title: string; children?: ComponentChildren }

function Step({ progress, title, children }: StepProps) {
  return (
    <li aria-current={progress === 'now' ? 'step' : undefined} data-progress={progress}>
      <h2>
        <span class={styles['mark']} aria-hidden="true">
          {MARKS[progress]}
        </span>
        {title}
        <span class="visually-hidden"> ({WORDS[progress]})</span>
      </h2>
      <div class={styles['content']}>{children}</div>
    </li>
  )
}

function Begin({ is_admin, connected_to, begin, isFirst }: StepsProps & { isFirst: boolean }) {
  if (!isFirst) return null
  if (!is_admin) return <p class="muted">Owners and admins of the organisation sign up.</p>
  return (
    <div class="stack">
      <p>
        The provider gives a page on which an administrator agrees to Android management for this
        organisation, with a Google account that no other enterprise uses.
      </p>
      <Fault error={begin.error} />
      <Actions>
        <Button
          kind="primary"
          busy={begin.isPending}
          disabled={connected_to === 'nothing'}
          onClick={begin.run}
        >
          Begin sign-up
        </Button>
      </Actions>
    </div>
  )
}

function Agree({ begun, begin, is_admin }: StepsProps & { begun: BegunSignup }) {
  const address = webAddress(begun.signup_url)
  return (
    <div class="stack">
      <p>
        Begun <Time at={begun.begun_at} as="age" />. The page leads back here when you have agreed.
      </p>
      {address === undefined && (
        <p class="form-fault" role="alert">
          The provider gave an address that is none: {begun.signup_url}
        </p>
      )}
      <Fault error={begin.error} />
      <Actions>
        {address !== undefined && (
          <a class="button button-primary" href={address}>
            Go to {new URL(address).host}
          </a>
        )}
        {is_admin && (
          <Button busy={begin.isPending} onClick={begin.run}>
            Begin anew
          </Button>
        )}
      </Actions>
    </div>
  )
}

function Create({ begin, create, is_admin }: StepsProps) {
  if (create.error === null) {
    return is_admin ? (
      <p role="status">Creating the enterprise…</p>
    ) : (
      <p class="form-fault">Owners and admins of the organisation create it.</p>
    )
  }
  return (
    <div class="stack">
      <Fault error={create.error} />
      <Fault error={begin.error} />
      <Actions>
        <Button kind="primary" busy={create.isPending} onClick={create.run}>
          Try again
        </Button>
        <Button busy={begin.isPending} onClick={begin.run}>
          Begin anew
        </Button>
      </Actions>
    </div>
  )
}

function Done({ enterprise }: { enterprise: Enterprise }) {
  return (
    <div class="stack">
      <p>
        <strong>{enterprise.display_name || enterprise.name}</strong> <code>{enterprise.name}</code>
        , created <Time at={enterprise.created_at} />. An organisation has one enterprise.
      </p>
      <Actions>
        <PageLink to="/devices/policies" class="button button-primary">
          To the policies
        </PageLink>
        <PageLink to="/devices/tokens" class="button">
          To the enrolment tokens
        </PageLink>
      </Actions>
    </div>
  )
}

const Fault = ({ error }: { error: ApiError | null }) =>
  error && (
    <p class="form-fault" role="alert">
      {error.message}
    </p>
  )
