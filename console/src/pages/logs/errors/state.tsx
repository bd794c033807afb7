/** The state of an error group, as a badge and as controls to change it. */
import { useState } from 'preact/hooks'
import type {
  ErrorGroupState,
  ErrorState,
  ErrorStates,
  StateChange,
} from '../../../../../src/modules/edge/error-states/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Actions,
  Badge,
  Button,
  Facts,
  Form,
  Loaded,
  Section,
  SelectField,
  TextField,
  Time,
  type Tone,
} from '../../../components/index.ts'
import { useMe, useMode, useOrg } from '../../../shell/organization.ts'
import { DAY_MS } from '../../../time-units.ts'
import { changeText } from './change-text.ts'

export const STATES_PATH = '/console/api/edge/errors/states'
export const MEMBERS_PATH = '/console/api/members'

const TONES: Record<ErrorState, Tone> = {
  new: 'info',
  acknowledged: 'neutral',
  resolved: 'good',
  regressed: 'bad',
  ignored: 'neutral',
}

export const StateBadge = ({ state }: { state: ErrorState }) => (
  <Badge tone={TONES[state]}>{state}</Badge>
)

type Query = Readonly<Record<string, string>>
type GroupStateProps = { fingerprint: string; count: number; query: Query }

const ExternalLink = ({ url }: { url: string }) => (
  <a href={url} rel="noreferrer" target="_blank">
    {url}
  </a>
)

function LinkField({ link, onSave }: { link: string | null; onSave: (link: string) => void }) {
  const [text, setText] = useState(link ?? '')
  return (
    <Form onSubmit={() => onSave(text.trim())} class="row">
      <TextField
        label="Link to a review, an incident or a ticket"
        type="url"
        placeholder="https://…"
        value={text}
        onChange={setText}
        maxLength={2048}
      />
      <Button type="submit">Save link</Button>
    </Form>
  )
}

export function GroupState({ fingerprint, count, query }: GroupStateProps) {
  const wanted = { ...query, fingerprints: fingerprint }
  const read = useRead<ErrorStates>(STATES_PATH, wanted, { keep_previous: true })
  return (
    <Section title="State">
      <Loaded read={read} what="the state">
        {({ states: [state] }) =>
          state && (
            <>
              <Facts
                facts={[
                  ['State', <StateBadge state={state.state} />],
                  state.ignored_until !== null && [
                    'Ignored until',
                    <Time at={state.ignored_until} as="exact" />,
                  ],
                  state.link !== null && ['Link', <ExternalLink url={state.link} />],
                  state.changed_at !== null && ['Since', <Time at={state.changed_at} as="exact" />],
                  ['Compared with the time before', changeText(state.previous_count, count)],
                ]}
              />
              <StateControls fingerprint={fingerprint} state={state} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

export type Member = { user_id: string; email: string }
type StateControlsProps = { fingerprint: string; state: ErrorGroupState }

function StateControls({ fingerprint, state }: StateControlsProps) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const members = useRead<{ members: Member[] }>(MEMBERS_PATH, { org_id })
  const me = useMe()
  const change = useChange<StateChange>(
    (body) => ({
      method: 'PATCH',
      path: `/console/api/edge/errors/${encodeURIComponent(fingerprint)}/state`,
      body: { org_id, mode, ...body },
    }),
    { invalidates: [STATES_PATH] },
  )
  const listed = members.data?.members ?? [me]
  const ignoreFor = (days: number) => {
    const ignored_until = new Date(Date.now() + days * DAY_MS).toISOString()
    change.mutate({ state: 'ignored', ignored_until })
  }
  return (
    <div class="stack">
      <Actions>
        {state.state !== 'acknowledged' && (
          <Button onClick={() => change.mutate({ state: 'acknowledged' })}>Acknowledge</Button>
        )}
        {state.state !== 'resolved' && (
          <Button kind="primary" onClick={() => change.mutate({ state: 'resolved' })}>
            Resolve
          </Button>
        )}
        <Button onClick={() => ignoreFor(1)}>Ignore for a day</Button>
        <Button onClick={() => ignoreFor(7)}>Ignore for a week</Button>
        {state.state !== 'new' && (
          <Button kind="quiet" onClick={() => change.mutate({ state: 'new' })}>
            Reopen
          </Button>
        )}
      </Actions>
      <LinkField
        key={state.link}
        link={state.link}
        onSave={(link) => change.mutate({ link: link === '' ? null : link })}
      />
      <SelectField
        label="Assignee"
        value={state.assignee?.user_id ?? ''}
        options={[
          { value: '', label: 'No one' },
          ...listed.map(({ user_id, email }) => ({ value: user_id, label: email })),
        ]}
        onChange={(id) => change.mutate({ assignee_id: id === '' ? null : id })}
      />
    </div>
  )
}
