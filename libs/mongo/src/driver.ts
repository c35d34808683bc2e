import mongoose from 'mongoose';

/** Mongoose's driver, the only one in the dependency tree. */
export const driver = mongoose.mongo;

export const {
  BSON,
  MongoBulkWriteError,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  ObjectId,
  WriteConcern: MongoWriteConcern,
} = driver;
export type IndexDescription = mongoose.mongo.IndexDescription;
export type Collection<T extends object = mongoose.mongo.Document> = mongoose.mongo.Collection<T>;
export type ChangeStream<T extends object> = mongoose.mongo.ChangeStream<T>;
export type ClientSession = mongoose.mongo.ClientSession;
export type Db = mongoose.mongo.Db;
export type MongoClient = mongoose.mongo.MongoClient;
export type MongoServerError = mongoose.mongo.MongoServerError;
export type Timestamp = mongoose.mongo.Timestamp;
