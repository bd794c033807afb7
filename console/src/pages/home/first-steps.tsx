/** First steps in each area, which tick themselves off. Their commands use test keys, which cost nothing. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Step } from '../../../../src/modules/attention/schema.ts'
import { Icon } from '../../components/icon.tsx'
import { Button, CodeBlock, Section } from '../../components/index.ts'
import { readStored, store } from '../../shell/browser-storage.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './home.module.css'

type Area = { step: Step; title: string; children: ComponentChildren }

const commandOf = (path: string, body: string) =>
  `curl -s ${window.location.origin}${path} \\
  -H "X-API-Key: $VIGIL_TEST_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`

export function FirstSteps({ hasKey, done }: { hasKey: boolean; done: readonly Step[] }) {
  const { id } = useOrg()
  const hiddenAs = `vigil:steps_hidden:${id}`
  const [isHidden, setHidden] = useState(readStored(hiddenAs) !== null)
  const areas = areasOf()
  const next = areas.find(({ step }) => !done.includes(step))
  if (isHidden || next === undefined) return null
  return (
    <Section
      title={`First steps: ${areas.length - missing(areas, done)} of ${areas.length} done`}
      actions={
        done.length > 0 && (
          <Button
            size="small"
            onClick={() => {
              store(hiddenAs, 'yes')
              setHidden(true)
            }}
          >
            Hide
          </Button>
        )
      }
    >
      {done.length === 0 && <KeyAdvice hasKey={hasKey} />}
      <ul class={styles['steps']}>
        {areas.map(({ step, title, children }) => {
          const isDone = done.includes(step)
          return (
            <li key={step} data-done={isDone}>
              <details open={step === next.step}>
                <summary>
                  <Icon sign={isDone ? 'done' : 'open'} /> {title}
                  <span class="visually-hidden">{isDone ? ', done' : ', not done'}</span>
                </summary>
                {children}
              </details>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

const missing = (areas: readonly Area[], done: readonly Step[]) =>
  areas.filter(({ step }) => !done.includes(step)).length

function KeyAdvice({ hasKey }: { hasKey: boolean }) {
  const { is_admin } = useOrg()
  const mode = useMode()
  if (!is_admin) {
    return <p>Only owners and admins can create keys. Ask one of them for a test key.</p>
  }
  return (
    <p>
      Use the test key that the first start printed. Requests with it are free
      {mode === 'live' ? ', and appear under “Test data”' : ''}.{' '}
      <PageLink to="/developers/keys">
        {hasKey ? 'Create another key' : 'Create a test key'}
      </PageLink>{' '}
      {hasKey ? 'if you do not have it; existing keys remain valid.' : 'and copy its text.'}
    </p>
  )
}

const areasOf = (): Area[] => [
  {
    step: 'check',
    title: 'Check an e-mail address',
    children: (
      <>
        <CodeBlock
          text={commandOf('/v1/check', '{"email":"jane@mailinator.com","event_type":"signup"}')}
          label="Command for the first check"
        />
        <p>
          It appears under <PageLink to="/checks">Checks</PageLink>, with the reasons for its score.
        </p>
      </>
    ),
  },
  {
    step: 'order',
    title: 'Score an order',
    children: (
      <>
        <CodeBlock
          text={commandOf(
            '/v1/orders',
            '{"external_order_id":"order-1","external_id":"customer-1","amount_cents":4990}',
          )}
          label="Command for the first order"
        />
        <p>
          It appears under <PageLink to="/orders">Orders</PageLink>.
        </p>
      </>
    ),
  },
  {
    step: 'log',
    title: 'Send a log entry',
    children: (
      <>
        <CodeBlock
          text={commandOf(
            '/v1/edge/logs',
            '{"logs":[{"device_id":"till-1","level":"info","message":"Opened"}]}',
          )}
          label="Command for the first log entry"
        />
        <p>
          It appears under <PageLink to="/logs">Logs</PageLink>.
        </p>
      </>
    ),
  },
  {
    step: 'webhook',
    title: 'Receive events',
    children: (
      <p>
        <PageLink to="/webhooks/new">Create a webhook endpoint</PageLink>, and send it a test event.
      </p>
    ),
  },
  {
    step: 'device',
    title: 'Manage an Android device',
    children: (
      <p>
        <PageLink to="/devices">Connect Android Enterprise</PageLink>, then enroll a device with a
        QR code. Managed devices have no test data.
      </p>
    ),
  },
  {
    step: 'push',
    title: 'Send a push message',
    children: (
      <p>
        <PageLink to="/push">Create a push application</PageLink> and follow its setup.
      </p>
    ),
  },
]
