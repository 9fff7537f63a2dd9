BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE change (
	id INTEGER NOT NULL, 
	upstream TEXT NOT NULL, 
	sha TEXT NOT NULL, 
	branch TEXT NOT NULL, 
	position INTEGER, 
	number BIGINT, 
	kind TEXT NOT NULL, 
	breaking BOOLEAN NOT NULL, 
	committed_at DATETIME NOT NULL, 
	title TEXT NOT NULL, 
	message TEXT NOT NULL, 
	words TEXT NOT NULL, 
	files TEXT NOT NULL, 
	code TEXT NOT NULL, 
	origins TEXT NOT NULL, 
	raw_body TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "change" VALUES(1,'acme/engine','0000000000000000000000000000000000000001','main',1,1,'fix',0,'2026-01-01 13:00:00.000000','Mend number 1','{"sha":"0000000000000000000000000000000000000001","committed_at":"2026-01-01T13:00:00Z","subject":"Mend number 1 (#1)","title":"Mend number 1","number":1,"body":"","kind":"fix"}','{"upstream":"acme/engine","branch":"main","position":1}','[{"path":"engine/core.py","role":"source"},{"path":"tests/é.py","role":"source"}]','{}','null','""');
INSERT INTO "change" VALUES(2,'acme/engine','0000000000000000000000000000000000000002','main',2,2,'fix',0,'2026-01-01 14:00:00.000000','Mend number 2','{"sha":"0000000000000000000000000000000000000002","committed_at":"2026-01-01T14:00:00Z","subject":"Mend number 2 (#2)","title":"Mend number 2","number":2,"body":"","kind":"fix"}','{"upstream":"acme/engine","branch":"main","position":2}','[{"path":"engine/core.py","role":"source"},{"path":"tests/é.py","role":"source"}]','{}','null','""');
INSERT INTO "change" VALUES(3,'acme/engine','0000000000000000000000000000000000000003','main',3,3,'fix',0,'2026-01-01 15:00:00.000000','Mend number 3','{"sha":"0000000000000000000000000000000000000003","committed_at":"2026-01-01T15:00:00Z","subject":"Mend number 3 (#3)","title":"Mend number 3","number":3,"body":"","kind":"fix"}','{"upstream":"acme/engine","branch":"main","position":3}','[{"path":"engine/core.py","role":"source"},{"path":"tests/é.py","role":"source"}]','{}','null','""');
CREATE TABLE change_file (
	change_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	PRIMARY KEY (change_id, path), 
	FOREIGN KEY(change_id) REFERENCES change (id) ON DELETE CASCADE
);
INSERT INTO "change_file" VALUES(1,'engine/core.py');
INSERT INTO "change_file" VALUES(1,'tests/é.py');
INSERT INTO "change_file" VALUES(2,'engine/core.py');
INSERT INTO "change_file" VALUES(2,'tests/é.py');
INSERT INTO "change_file" VALUES(3,'engine/core.py');
INSERT INTO "change_file" VALUES(3,'tests/é.py');
CREATE TABLE cursor (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "cursor" VALUES('issues','page 2');
CREATE TABLE decision (
	id INTEGER NOT NULL, 
	pin TEXT NOT NULL, 
	item TEXT NOT NULL, 
	state TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	reason TEXT NOT NULL, 
	until TEXT, 
	"by" TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "decision" VALUES(1,'engine','engine#2','ignored','2026-01-04 12:00:00.000000','not ours',NULL,'ada');
CREATE TABLE delivery (
	"key" TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_try_at DATETIME, 
	lease_until DATETIME, 
	created_at DATETIME NOT NULL, 
	error TEXT, 
	payload TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "delivery" VALUES('slack:2026-01-04','slack','pending',1,'2026-01-04 12:00:00.000000',NULL,'2026-01-01 12:00:00.000000',NULL,'{"text": "x"}');
CREATE TABLE document (
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (kind, "key")
);
INSERT INTO "document" VALUES('told','slack','{"items":["engine#2"]}');
CREATE TABLE finding (
	pin TEXT NOT NULL, 
	item TEXT NOT NULL, 
	place INTEGER, 
	first_seen_at DATETIME NOT NULL, 
	is_seen BOOLEAN NOT NULL, 
	body TEXT, 
	PRIMARY KEY (pin, item)
);
INSERT INTO "finding" VALUES('engine','engine#2',0,'2026-01-04 12:00:00.000000',1,'{"id":"engine#2"}');
CREATE TABLE findings (
	pin TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY (pin)
);
INSERT INTO "findings" VALUES('engine','print');
CREATE TABLE issue (
	upstream TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	updated_at DATETIME NOT NULL, 
	title TEXT NOT NULL, 
	body TEXT NOT NULL, 
	raw_body TEXT NOT NULL, 
	PRIMARY KEY (upstream, number)
);
INSERT INTO "issue" VALUES('acme/engine',7,'open','2026-01-01 19:00:00.000000','Engine fails, case 7','{"upstream":"acme/engine","number":7,"title":"Engine fails, case 7","body":"It fails.","opened_at":"2026-01-01T19:00:00Z","updated_at":"2026-01-01T19:00:00Z"}','""');
CREATE TABLE links (
	upstream TEXT NOT NULL, 
	sha TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (upstream, sha)
);
INSERT INTO "links" VALUES('acme/engine','0000000000000000000000000000000000000001','{"sha":"0000000000000000000000000000000000000001"}');
INSERT INTO "links" VALUES('acme/engine','0000000000000000000000000000000000000002','{"sha":"0000000000000000000000000000000000000002"}');
INSERT INTO "links" VALUES('acme/engine','0000000000000000000000000000000000000003','{"sha":"0000000000000000000000000000000000000003"}');
CREATE TABLE walk (
	upstream TEXT NOT NULL, 
	head TEXT NOT NULL, 
	synced_at DATETIME NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (upstream)
);
INSERT INTO "walk" VALUES('acme/engine','0000000000000000000000000000000000000003','2026-01-01 15:05:00.000000','{"upstream":"acme/engine","branch":"main","base":null,"head":"0000000000000000000000000000000000000003","head_at":"2026-01-01T15:00:00Z","synced_at":"2026-01-01T15:05:00Z","lineage_key":null}');
CREATE TABLE words (
	upstream TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (upstream, number)
);
INSERT INTO "words" VALUES('acme/engine',2,'{"upstream":"acme/engine","number":2,"title":"Mend","body":"Closes #7","state":"merged"}');
CREATE INDEX change_by_number ON change (upstream, number);
CREATE INDEX change_by_position ON change (upstream, position);
CREATE UNIQUE INDEX change_by_sha ON change (upstream, sha);
CREATE INDEX ix_decision_pin ON decision (pin);
CREATE INDEX ix_delivery_channel ON delivery (channel);
CREATE INDEX ix_delivery_created_at ON delivery (created_at);
CREATE INDEX ix_issue_updated_at ON issue (updated_at);
CREATE INDEX ix_change_file_path ON change_file (path);
COMMIT;
