/** Browsers of the person that show notifications, also while no page of the console is open. */
import { useEffect, useState } from 'preact/hooks'
import type {
  BrowserKey,
  Channel,
  TestResult,
} from '../../../../src/modules/notifications/schema.ts'
import { useRead } from '../../api/read.ts'
import { Actions, Button, Notice, Section, Time, useToasts } from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { useOrg } from '../../shell/organization.ts'
import { NOTIFICATIONS, useNotificationChange } from './api.ts'
import { browserName, ownHash, subscribe, supportOf, unsubscribe } from './push-subscription.ts'

const PATH = '/mine/browsers'

export function OwnBrowsers() {
  const { id: org_id } = useOrg()
  const read = useRead<{ browsers: Channel[] }>(`${NOTIFICATIONS}${PATH}`, { org_id })
  const [own, setOwn] = useState<string>()
  const browsers = read.data?.browsers ?? []
  useEffect(() => {
    void ownHash(org_id).then(setOwn, () => setOwn(undefined))
  }, [org_id, read.data])
  const isOn = browsers.some(({ config }) => config.endpoint_hash === own)
  return (
    <Section title="Browsers">
      <div class="stack">
        <p class="muted">
          A browser shows what you choose below, also while the console is closed. It ends when you
          sign out there.
        </p>
        {browsers.length > 0 && (
          <ul class="view-columns" aria-label="Browsers that are notified">
            {browsers.map((browser) => (
              <Browser
                key={browser.id}
                browser={browser}
                isOwn={browser.config.endpoint_hash === own}
              />
            ))}
          </ul>
        )}
        {read.data && !isOn && <TurnOn />}
      </div>
    </Section>
  )
}

function TurnOn() {
  const { id: org_id } = useOrg()
  const session = useSession()
  const [fault, setFault] = useState('')
  const add = useNotificationChange<Channel, object>(
    (browser) => ({ method: 'POST', path: PATH, body: browser }),
    { toast: 'Notifications are shown in this browser', quiet: true },
  )
  const support = supportOf()
  if (support !== 'yes') return <p>{UNSUPPORTED[support]}</p>
  const turnOn = async () => {
    setFault('')
    const { public_key, sealed_key } = await session.call<BrowserKey>({
      method: 'POST',
      path: `${NOTIFICATIONS}${PATH}/key`,
      body: { org_id },
    })
    const subscription = await subscribe(org_id, public_key)
    add.mutate({ name: browserName(navigator.userAgent), sealed_key, ...subscription })
  }
  return (
    <>
      <Actions>
        <Button
          busy={add.isPending}
          onClick={() => void turnOn().catch(({ message }: Error) => setFault(message))}
        >
          Notify me in this browser
        </Button>
      </Actions>
      {(fault !== '' || add.error) && <Notice tone="bad">{add.error?.message ?? fault}</Notice>}
    </>
  )
}

const UNSUPPORTED = {
  no: 'This browser cannot be notified. On iPhones and iPads, add the console to the home screen first.',
  denied: 'This browser does not allow notifications of this site. Allow them in its settings.',
}

function Browser({ browser, isOwn }: { browser: Channel; isOwn: boolean }) {
  const { id: org_id } = useOrg()
  const toasts = useToasts()
  const { id, name, last_error } = browser
  const remove = useNotificationChange<object>(
    () => ({ method: 'DELETE', path: `${PATH}/${id}` }),
    {
      toast: `${name} is not notified any more`,
      onSuccess: () => isOwn && void unsubscribe(org_id),
    },
  )
  const test = useNotificationChange<TestResult>(
    () => ({ method: 'POST', path: `${PATH}/${id}/test` }),
    {
      onSuccess: ({ is_accepted, error }) =>
        is_accepted ? toasts.show(`A test was sent to ${name}`) : toasts.warn(error ?? 'Refused'),
    },
  )
  return (
    <li>
      <span>
        {name}
        {isOwn && ' (this browser)'} <span class="muted">since </span>
        <Time at={browser.created_at} as="day" />
        {last_error !== null && <span class="muted">, last error: {last_error}</span>}
      </span>
      <span class="actions">
        <Button size="small" aria-label={`Test ${name}`} onClick={() => test.mutate()}>
          Test
        </Button>
        <Button size="small" aria-label={`Remove ${name}`} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </span>
    </li>
  )
}
