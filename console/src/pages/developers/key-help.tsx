import { Columns, Section } from '../../components/index.ts'

export const KeyHelp = () => (
  <Columns>
    <Section title="Secret and public">
      <div class="prose">
        <p>
          <strong>Secret keys</strong> (<code>sk_…</code>) have access to the API, all of it or the
          operations that you choose. Use them on your servers and on your own devices that send
          logs, in the <code>X-API-Key</code> header, and never in a page or an app.
        </p>
        <p>
          <strong>Public keys</strong> (<code>pk_…</code>) can only send browser events, so they can
          be part of a page or an app.
        </p>
      </div>
    </Section>
    <Section title="Live and test">
      <div class="prose">
        <p>
          <strong>Live keys</strong> are for real traffic. Their requests cost credits and train the
          scoring.
        </p>
        <p>
          <strong>Test keys</strong> are free. Their data is separate, and reserved e-mails and
          numbers return fixed results. See the <a href="/docs">API reference</a>.
        </p>
      </div>
    </Section>
  </Columns>
)
