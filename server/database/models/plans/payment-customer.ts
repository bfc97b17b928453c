import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/**
 * An account's customer at the payment service, made once before the first checkout and never shared with another
 * account.
 */
const paymentCustomerSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    customerId: { type: String, required: true },
    /** The time at which the service is asked although no notice came; null while nothing there can change. */
    checkAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'payment_customers' },
);
paymentCustomerSchema.index({ accountId: 1 }, { name: 'account_unique', unique: true });
/** Finds the account that a notice is about. */
paymentCustomerSchema.index({ customerId: 1 }, { name: 'customer_unique', unique: true });
paymentCustomerSchema.index({ checkAt: 1 }, { name: 'due', partialFilterExpression: { checkAt: { $type: 'date' } } });
paymentCustomerSchema.plugin(accountScope);

export const PaymentCustomerModel = model('PaymentCustomer', paymentCustomerSchema);
