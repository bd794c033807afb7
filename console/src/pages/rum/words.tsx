/** Words that several pages about real users need. */
import { Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './rum.module.css'

export const DEVICES = [
  { value: '', label: 'All' },
  { value: 'desktop', label: 'Desktop' },
  { value: 'mobile', label: 'Mobile' },
  { value: 'tablet', label: 'Tablet' },
  { value: 'bot', label: 'Bot' },
] as const

/** What to do when nothing has come. */
export function HowToSend() {
  return (
    <p>
      Events come from the browser SDK, or from any client by <code>POST /v1/rum/events</code> with
      a public key. Ask for a longer time to see older ones.
    </p>
  )
}

/** A session, by the name that the client gave it. */
export function SessionLink({ id, query }: { id: string; query: Record<string, string> }) {
  return (
    <PageLink to="/rum/session" query={{ id, ...query }}>
      {id}
    </PageLink>
  )
}

/** In one line. */
export const Age = ({ at }: { at: string }) => (
  <span class={styles['age']}>
    <Time at={at} as="age" />
  </span>
)
