/** A preview of the notification, truncated like on the devices. */
import type { PushContent } from '../../../../src/modules/push/messages/reading/schema.ts'
import styles from './push.module.css'

type Props = { app: string; content: Pick<PushContent, 'title' | 'body' | 'image'> }

export function Preview({ app, content }: Props) {
  const isShown = content.title !== undefined || content.body !== undefined
  return (
    <div class={styles['preview']}>
      <div class={styles['phone']}>
        <h3>Android</h3>
        {isShown ? <Card os="android" app={app} content={content} /> : <Silent />}
      </div>
      <div class={styles['phone']}>
        <h3>iOS</h3>
        {isShown ? <Card os="ios" app={app} content={content} /> : <Silent />}
      </div>
    </div>
  )
}

const Silent = () => <p class={styles['silent']}>Silent: nothing is shown to the user.</p>

/** The first character as a user sees it, which may consist of several code points. */
function firstOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment.toUpperCase() ?? ''
}

const Card = ({ os, app, content: { title, body, image } }: Props & { os: 'android' | 'ios' }) => (
  <div class={`${styles['card']} ${styles[os]}`}>
    <span class={styles['icon']} aria-hidden="true">
      {firstOf(app)}
    </span>
    <div>
      <div class={styles['app-line']}>
        <span class={styles['app-name']} dir="auto">
          {os === 'ios' && title !== undefined ? '' : app}
        </span>
        <span>{os === 'ios' ? 'now' : '· now'}</span>
      </div>
      {title !== undefined && (
        <div class={styles['shown-title']} dir="auto">
          {title}
        </div>
      )}
      {body !== undefined && (
        <div class={styles['shown-body']} dir="auto">
          {body}
        </div>
      )}
    </div>
    {/* A placeholder, because pages load nothing from third parties. */}
    {image !== undefined && <span class={styles['picture']}>image</span>}
  </div>
)
