/** Users, apps and groups belong to one. */
export interface Organization {
  _id: string;
  _name: string;
  _metadata: { _createdAt: number; _updatedAt: number };
}
