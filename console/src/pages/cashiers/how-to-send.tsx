export const HowToSend = () => (
  <p>
    Send actions to <code>POST /v1/cashier/actions</code>, and sales with a{' '}
    <code>cashier_external_id</code> to <code>POST /v1/orders</code>.
  </p>
)
